import ipaddr from "ipaddr.js";

/** The networks of an address, by which strangers are counted. */
export interface Networks {
  /**
   * What one customer has: an IPv4 address, or the /64 of an IPv6 address. Empty if the address is unknown.
   */
  readonly own: string;
  /** The most that one customer may have: an IPv4 address, or a /48. */
  readonly site: string;
  /** What one provider has: an IPv4 /16, or a /32. */
  readonly region: string;
}

const UNKNOWN: Networks = { own: "", site: "", region: "" };

/** Of an address in any spelling: `2001:db8::1` and `2001:0db8:0:0::1` are of one network. Pure. */
export function networksOf(address: string): Networks {
  if (!ipaddr.isValid(address)) return UNKNOWN;
  // An IPv4 address that is written as IPv6 is the IPv4 address.
  const read = ipaddr.process(address);
  if (read instanceof ipaddr.IPv4) {
    const whole = read.toString();
    return { own: whole, site: whole, region: `${read.octets.slice(0, 2).join(".")}/16` };
  }
  const first = (groups: number) =>
    `${read.parts
      .slice(0, groups)
      .map((part) => part.toString(16))
      .join(":")}/${groups * 16}`;
  return { own: first(4), site: first(3), region: first(2) };
}
