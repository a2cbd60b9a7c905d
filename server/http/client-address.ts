import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

export type ClientReader = ReturnType<typeof createClientReader>;

/** Maximum number of cached addresses, and maximum length of a cached header in characters. */
const maxClients = 1_000;
const maxKeyLength = 200;

/**
 * Creates a reader of client addresses. `trusted` contains the networks of proxies as CIDRs; it throws for an invalid
 * one.
 */
export function createClientReader(trusted: readonly string[]) {
  const addressOf = createAddressReader(trusted);
  const isTrusted = createTrust(trusted);
  const known = new LRUCache<string, string>({ max: maxClients });
  return {
    /** Returns the client's address as limits count it. */
    addressOf({ socket, headers }: IncomingMessage) {
      const peer = socket.remoteAddress ?? '';
      // A repeated header is one list (RFC 9110, 5.3).
      const forwardedFor = headers['x-forwarded-for']?.toString();
      const question = forwardedFor === undefined ? peer : `${peer} ${forwardedFor}`;
      const answer = known.get(question) ?? countedAs(addressOf(peer, forwardedFor));
      if (question.length <= maxKeyLength) known.set(question, answer);
      return answer;
    },
    /** True if the request came to this server, or to its trusted proxy, over https. */
    isSecure({ socket, headers }: IncomingMessage) {
      const peer = socket.remoteAddress ?? '';
      const forwarded = headers['x-forwarded-proto']?.toString();
      if (forwarded && isIP(peer) && isTrusted(peer)) return forwarded.split(',').at(-1)?.trim() === 'https';
      return 'encrypted' in socket;
    },
    /**
     * True if a program on this machine or a trusted proxy sent the request on its own behalf. Proxies name the client if
     * they forward a request.
     */
    isOwnProxy({ socket, headers }: IncomingMessage) {
      const peer = socket.remoteAddress ?? '';
      const asksForAnother = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
      return !asksForAnother && isIP(peer) !== 0 && (isLoopback(peer) || isTrusted(peer));
    },
  };
}

const isLoopback = (ip: string) => ipaddr.process(ip).range() === 'loopback';

/**
 * Converts an address to the form that limits count: IPv4 unchanged, IPv6 as its /64, because one client has a whole
 * /64. Other text is returned unchanged.
 */
export function countedAs(ip: string): string {
  if (isIPv4(ip) || !ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}

/**
 * Creates a reader of client addresses. The address is that of the connection's peer. If the peer is a proxy in
 * `trusted` (CIDRs), it is the last entry of `X-Forwarded-For` that is not a trusted proxy. Ports and brackets are
 * removed. A malformed entry ends the search, because everything before it comes from an unknown party.
 */
export function createAddressReader(trusted: readonly string[]) {
  const isTrusted = createTrust(trusted);
  return (peer: string, forwardedFor: string | undefined): string => {
    let address = peer;
    const entries = forwardedFor?.split(',').map((entry) => entry.trim()) ?? [];
    while (isIP(address) && isTrusted(address)) {
      const entry = entries.pop();
      if (entry === undefined) break;
      if (entry === '') continue;
      const named = withoutPort(entry);
      if (!isIP(named)) break;
      address = named;
    }
    return address;
  };
}

function createTrust(trusted: readonly string[]) {
  const networks = trusted.map((cidr) => ipaddr.parseCIDR(cidr));
  return (ip: string) => {
    if (networks.length === 0) return false;
    const address = ipaddr.process(ip);
    return networks.some(
      ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
    );
  };
}

/**
 * Removes port, brackets and quotes of `5.6.7.8:1001`, `[2001:db8::1]:443` and `"[2001:db8::1]"`. Returns other text
 * unchanged.
 */
function withoutPort(entry: string): string {
  const [, bracketed, v4, port] = /^"?(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?"?$/.exec(entry) ?? [];
  return Number(port ?? 0) > 65_535 ? '' : (bracketed ?? v4 ?? entry);
}
