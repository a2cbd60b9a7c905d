import type { FastifyReply, FastifyRequest } from 'fastify';

export type Carrier = Pick<FastifyRequest, 'headers' | 'isSecure'>;

/** Browsers accept `__Host-` cookies only over HTTPS, for one host, from that host. */
const nameFor = (name: string, isSecure: boolean) => (isSecure ? `__Host-${name}` : name);

/** Returns the value of a cookie that this server set; undefined if the request has none. */
export const readCookie = ({ headers, isSecure }: Carrier, name: string): string | undefined =>
  readPlainCookie(headers, nameFor(name, isSecure));

/**
 * Returns the value of a cookie that a script set, which has no `__Host-` prefix; undefined if the request has none.
 */
export const readPlainCookie = ({ cookie }: Carrier['headers'], name: string): string | undefined =>
  cookie
    ?.split(/; */)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/**
 * Sets a cookie that scripts cannot read and forms of other sites do not send. It expires after `seconds`; 0 deletes
 * it.
 */
export function setCookie(
  { isSecure }: Pick<Carrier, 'isSecure'>,
  reply: FastifyReply,
  name: string,
  value: string,
  { seconds, sameSite }: { seconds: number; sameSite: 'Lax' | 'Strict' },
) {
  const pair = `${nameFor(name, isSecure)}=${value}`;
  const secure = isSecure ? '; Secure' : '';
  reply.header('Set-Cookie', `${pair}; Path=/; HttpOnly; SameSite=${sameSite}${secure}; Max-Age=${seconds}`);
}
