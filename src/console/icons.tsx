/** Line icons of the menu, 24 by 24. */
const PATHS = {
  home: "M4 11l8-7 8 7M6 9.5V20h4.5v-5.5h3V20H18V9.5",
  check: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8 12.2l2.8 2.8L16 9.5",
  key: "M14.5 9.5a5 5 0 1 0-4.2 4.9L12 16h2.5v2.5H17V21h4v-3.6l-6.8-6.8a5 5 0 0 0 .3-1.1zM8 8h.01",
  people:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.3a3.5 3.5 0 0 1 0 6.4M18.5 14.4a6.5 6.5 0 0 1 3 5.6",
  settings:
    "M4 7h9M17 7h3M4 17h3M11 17h9M15 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM9 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  book: "M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h11M9 8h6",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5a7.5 7.5 0 0 1 15 0",
  post: "M5 4h14v16H5zM8.5 8.5h7M8.5 12h7M8.5 15.5h4",
  pen: "M4 20l1-4L16.5 4.5a2.1 2.1 0 0 1 3 3L8 19zM14.5 6.5l3 3",
  calendar: "M4 6h16v14H4zM4 10.5h16M8.5 3.5v4M15.5 3.5v4",
  channel:
    "M9 15a4.2 4.2 0 0 1 0-6l3-3a4.2 4.2 0 0 1 6 6l-1.5 1.5M15 9a4.2 4.2 0 0 1 0 6l-3 3a4.2 4.2 0 0 1-6-6l1.5-1.5",
  bot: "M5 9h14v10H5zM12 9V5M12 4.5h.01M9 13.5v1.5M15 13.5v1.5M2.5 13v3M21.5 13v3",
  megaphone: "M4 10v4h3l9 5V5l-9 5zM16 9a3.5 3.5 0 0 1 0 6M7.5 14l1 6H11l-1-4.5",
  spark: "M12 3l1.8 5.6L19.5 11l-5.7 2.4L12 19l-1.8-5.6L4.5 11l5.7-2.4z",
  hook: "M9 8a3.5 3.5 0 1 1 5 3.2l3 5.3M12 8l-3.5 6.5M8 14a3.5 3.5 0 1 0 3 5h6M17 16.5a2 2 0 1 1 0 .1",
  chart: "M4 20h16M7 20v-7M12 20V5M17 20v-10",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  plus: "M12 5v14M5 12h14",
  picture: "M4 5h16v14H4zM4 16l5-5 4 4 2.5-2.5L20 17M15.5 9.5h.01",
  video: "M3.5 6h12v12h-12zM15.5 10.5l5-3v9l-5-3",
  repeat: "M17 3l3 3-3 3M20 6H8a4 4 0 0 0-4 4v1M7 21l-3-3 3-3M4 18h12a4 4 0 0 0 4-4v-1",
  rss: "M5 19h.01M5 12a7 7 0 0 1 7 7M5 5a14 14 0 0 1 14 14",
  table: "M4 5h16v14H4zM4 10h16M4 14.5h16M10 5v14",
  bubble: "M4 5h16v11H9l-5 4z",
  down: "M6 9.5l6 6 6-6",
  menu: "M4 7h16M4 12h16M4 17h16",
} as const;
export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
