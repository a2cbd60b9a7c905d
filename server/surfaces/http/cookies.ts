import type { FastifyReply, FastifyRequest } from 'fastify';

export type Carrier = Pick<FastifyRequest, 'headers' | 'isSecure'>;

interface Cookie {
  name: string;
  value: string;
  seconds: number;
  sameSite: 'Lax' | 'Strict';
}

/** Browsers take `__Host-` cookies only over HTTPS, for one host, from that host. */
const nameFor = (name: string, isSecure: boolean) => (isSecure ? `__Host-${name}` : name);

export function readCookie({ headers, isSecure }: Carrier, name: string): string | undefined {
  const beginning = `${nameFor(name, isSecure)}=`;
  return headers.cookie
    ?.split(/; */)
    .find((pair) => pair.startsWith(beginning))
    ?.slice(beginning.length);
}

/** No script can read the cookie, and no other site's form sends it. */
export function setCookie(
  { isSecure }: Pick<Carrier, 'isSecure'>,
  reply: FastifyReply,
  { name, value, seconds, sameSite }: Cookie,
) {
  const pair = `${nameFor(name, isSecure)}=${value}`;
  const secure = isSecure ? '; Secure' : '';
  reply.header('Set-Cookie', `${pair}; Path=/; HttpOnly; SameSite=${sameSite}${secure}; Max-Age=${seconds}`);
}
