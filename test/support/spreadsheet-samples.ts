/** The sample of the console for a file of posts, as spreadsheets saved it. */

/** The id of the channel in these files. */
export const SAMPLE_ID = "4711";

/** What the sample has. */
export const ROWS: readonly (readonly string[])[] = [
  ["channel_id", "caption_text", "schedule_time", "hash_tags", "media_urls", "alt_texts"],
  [SAMPLE_ID, "Écrivez ici le texte de la publication", "2030-04-01T09:00", "", "", ""],
  [SAMPLE_ID, "Crème brûlée “aujourd’hui”, dès 9 €\nà emporter", "2030-04-02T09:30", "", "", ""],
];

const file = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

interface Saved {
  readonly name: string;
  readonly file: Uint8Array<ArrayBuffer>;
  readonly encoding: string;
}

/**
 * Written by LibreOffice 7.4.7.2 on Debian 12, from the sample as the console makes it (`sample.csv`):
 *
 * soffice --headless --convert-to "csv:Text - txt - csv (StarCalc):OPTIONS" --infilter="CSV:44,34,76,1"
 * sample.csv
 */
export const LIBREOFFICE: readonly Saved[] = [
  {
    // OPTIONS: 44,34,76,1,,0,false,true
    name: "UTF-8, commas",
    encoding: "utf-8",
    file: file(
      "Y2hhbm5lbF9pZCxjYXB0aW9uX3RleHQsc2NoZWR1bGVfdGltZSxoYXNoX3RhZ3MsbWVkaWFfdXJscyxhbHRfdGV4dHMKNDcxMSzDiWNyaXZleiBpY2kgbGUgdGV4dGUgZGUgbGEgcHVibGljYXRpb24sMjAzMC0wNC0wMVQwOTowMDowMCwsLAo0NzExLCJDcsOobWUgYnLDu2zDqWUg4oCcYXVqb3VyZOKAmWh1aeKAnSwgZMOocyA5IOKCrArDoCBlbXBvcnRlciIsMjAzMC0wNC0wMlQwOTozMDowMCwsLAo=",
    ),
  },
  {
    // OPTIONS: 59,34,ANSI,1,,1036,true,true
    name: "Windows-1252, semicolons, texts in quotes, in French",
    encoding: "windows-1252",
    file: file(
      "ImNoYW5uZWxfaWQiOyJjYXB0aW9uX3RleHQiOyJzY2hlZHVsZV90aW1lIjsiaGFzaF90YWdzIjsibWVkaWFfdXJscyI7ImFsdF90ZXh0cyIKNDcxMTsiyWNyaXZleiBpY2kgbGUgdGV4dGUgZGUgbGEgcHVibGljYXRpb24iOzIwMzAtMDQtMDFUMDk6MDA6MDA7OzsKNDcxMTsiQ3LobWUgYnL7bOllIJNhdWpvdXJkkmh1aZQsIGTocyA5IIAK4CBlbXBvcnRlciI7MjAzMC0wNC0wMlQwOTozMDowMDs7Owo=",
    ),
  },
  {
    // OPTIONS: 9,34,65535,1,,0,false,true
    name: "UTF-16, tabs",
    encoding: "utf-16le",
    file: file(
      "//5jAGgAYQBuAG4AZQBsAF8AaQBkAAkAYwBhAHAAdABpAG8AbgBfAHQAZQB4AHQACQBzAGMAaABlAGQAdQBsAGUAXwB0AGkAbQBlAAkAaABhAHMAaABfAHQAYQBnAHMACQBtAGUAZABpAGEAXwB1AHIAbABzAAkAYQBsAHQAXwB0AGUAeAB0AHMACgA0ADcAMQAxAAkAyQBjAHIAaQB2AGUAegAgAGkAYwBpACAAbABlACAAdABlAHgAdABlACAAZABlACAAbABhACAAcAB1AGIAbABpAGMAYQB0AGkAbwBuAAkAMgAwADMAMAAtADAANAAtADAAMQBUADAAOQA6ADAAMAA6ADAAMAAJAAkACQAKADQANwAxADEACQAiAEMAcgDoAG0AZQAgAGIAcgD7AGwA6QBlACAAHCBhAHUAagBvAHUAcgBkABkgaAB1AGkAHSAsACAAZADoAHMAIAA5ACAArCAKAOAAIABlAG0AcABvAHIAdABlAHIAIgAJADIAMAAzADAALQAwADQALQAwADIAVAAwADkAOgAzADAAOgAwADAACQAJAAkACgA=",
    ),
  },
];

/**
 * The same program, after a person typed `4/1/2030 9:00` in an American locale (OPTIONS:
 * 44,34,76,1,,1033,false,true).
 */
export const TYPED_TIME = file(
  "Y2hhbm5lbF9pZCxjYXB0aW9uX3RleHQsc2NoZWR1bGVfdGltZQo0NzExLMOJdMOpLDA0LzAxLzMwIDA5OjAwIEFNCg==",
);
