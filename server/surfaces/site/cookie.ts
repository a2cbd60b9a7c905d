import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionDays } from '../../../shared/contract/limits.ts';

/** Browsers take `__Host-` cookies only over HTTPS, for one host, from that host. */
const nameFor = (isSecure: boolean) => (isSecure ? '__Host-member' : 'member');

type Carrier = Pick<FastifyRequest, 'headers' | 'isSecure'>;

/** The session token of the member who visits; undefined when nobody is signed in. */
export function memberCookie({ headers, isSecure }: Carrier): string | undefined {
  const name = `${nameFor(isSecure)}=`;
  return headers.cookie
    ?.split(/; */)
    .find((pair) => pair.startsWith(name))
    ?.slice(name.length);
}

/** Whether there is such a cookie, however the request came. */
export const hasMemberCookie = (headers: Carrier['headers']) =>
  [true, false].some((isSecure) => memberCookie({ headers, isSecure }) !== undefined);

/** Signs the browser in for as long as a session lasts. No script can read the cookie, and no other site's form sends it. */
export function setMemberCookie(request: FastifyRequest, reply: FastifyReply, token: string) {
  reply.header('Set-Cookie', `${attributes(request, token)}; Max-Age=${sessionDays.member * 86_400}`);
}

export function clearMemberCookie(request: FastifyRequest, reply: FastifyReply) {
  reply.header('Set-Cookie', `${attributes(request, '')}; Max-Age=0`);
}

const attributes = (request: FastifyRequest, value: string) =>
  `${nameFor(request.isSecure)}=${value}; Path=/; HttpOnly; SameSite=Lax${request.isSecure ? '; Secure' : ''}`;
