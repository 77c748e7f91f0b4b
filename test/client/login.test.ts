import { describe, test } from "vitest";
import { addressProblem } from "../../client/src/login.ts";

describe("the address that belfry login takes", () => {
  test.for([
    "https://belfry.example.com",
    "https://belfry.example.com:8443/path",
    "http://localhost:8787",
    "http://127.0.0.1:9000",
    "http://127.8.0.1",
    "http://[::1]:8787",
  ])("may be %s", (url, { expect }) => {
    expect(addressProblem(url)).toBeNull();
  });

  test.for([
    "http://belfry.example.com",
    "HTTP://belfry.example.com",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
    "http://10.0.0.7:8787",
    "http://0.0.0.0:8787",
    "http://user@belfry.example.com",
    "ftp://belfry.example.com",
    "belfry.example.com",
    "",
  ])("is refused: %j", (url, { expect }) => {
    expect(addressProblem(url)).toMatch(/https:/);
  });
});
