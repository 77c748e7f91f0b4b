import { describe, expect, test } from "vitest";
import { versionsOf } from "../../src/doctor/findings.ts";
import type { Report } from "../../src/doctor/report-schema.ts";
import { VERSION } from "../../src/platforms/meta/graph.ts";
import { API_VERSIONS, type ApiVersion, daysLeft, linkedinVersion } from "../../src/platforms/versions.ts";

/** The versions of the platforms' APIs have one place, and their ends are announced before they come. */
const ALL: readonly ApiVersion[] = Object.values(API_VERSIONS);
const at = (day: string) => Date.parse(`${day}T12:00:00Z`);

function shown(version: ApiVersion, day: string) {
  const { api, version: name, endsOn, isEstimate = false } = version;
  const reported = {
    api,
    version: name,
    ends_on: endsOn,
    is_estimate: isEstimate,
    days_left: daysLeft(version, at(day)),
  };
  const report: Pick<Report, "versions"> = { versions: [reported] };
  return versionsOf(report as Report).findings[0];
}

test("Graph's current version is called, for ads too", () => {
  expect([VERSION, API_VERSIONS.marketing.version]).toEqual(["v27.0", VERSION]);
});

test("each version says when and where it was checked", () => {
  for (const { asOf, source, endsOn } of ALL) {
    expect(Number.isNaN(Date.parse(asOf))).toBe(false);
    expect(source).toContain(".");
    if (endsOn !== null) expect(daysLeft({ ...API_VERSIONS.graph, endsOn }, Date.parse(asOf))).toBeGreaterThan(0);
  }
});

describe("the doctor", () => {
  const LINKEDIN: ApiVersion = API_VERSIONS.linkedin;

  test("is content 61 days before an end, warns from 60 days on, and complains afterwards", () => {
    expect(shown(LINKEDIN, "2027-07-16")).toMatchObject({ kind: "good" });
    expect(shown(LINKEDIN, "2027-07-17")).toMatchObject({ kind: "soon", text: expect.stringContaining("60 days") });
    expect(shown(LINKEDIN, "2027-09-15")).toMatchObject({ kind: "soon", text: expect.stringContaining("2027-09-15") });
    expect(shown(LINKEDIN, "2027-09-16")).toMatchObject({ kind: "bad", text: expect.stringContaining("202609 ended") });
  });

  test("says that an end is expected, where none is announced", () => {
    expect(shown(API_VERSIONS.graph, "2026-11-28")).toMatchObject({ kind: "good" });
    const { text = "", kind } = shown(API_VERSIONS.marketing, "2027-11-01") ?? {};
    expect([kind, text.includes("about 2027-11-04")]).toEqual(["soon", true]);
    expect(shown(API_VERSIONS.marketing, "2027-12-01")).toMatchObject({ kind: "soon" });
  });

  test("knows the version that LINKEDIN_VERSION names", () => {
    expect(linkedinVersion(undefined)).toEqual(LINKEDIN);
    expect(linkedinVersion("202511")).toMatchObject({ version: "202511", endsOn: "2026-11-15" });
    expect(daysLeft(linkedinVersion("202511"), at("2026-11-28"))).toBeLessThan(0);
    expect(linkedinVersion("soon")).toMatchObject({ endsOn: null });
  });
});
