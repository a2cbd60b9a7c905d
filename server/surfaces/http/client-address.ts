import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The address that limits count: IPv4 as it is, IPv6 by its /64, since one client holds a whole one. */
export function clientAddress(ip: string): string {
  if (isIPv4(ip) || !ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}
