import type { FastifyReply, FastifyRequest } from 'fastify';
import { signInCode } from '../../shared/contract/features/member.ts';
import { sessionDays } from '../../shared/contract/limits.ts';
import { base62, type RandomBytes, randomText } from '../../shared/contract/record-id.ts';
import { type Carrier, readCookie, setCookie } from '../http/cookies.ts';

const name = 'member';

/** The session token of the member who visits; undefined when nobody is signed in. */
export const memberCookie = (carrier: Carrier): string | undefined => readCookie(carrier, name);

/** Whether there is such a cookie, however the request came. */
export const hasMemberCookie = (headers: Carrier['headers']) =>
  [true, false].some((isSecure) => memberCookie({ headers, isSecure }) !== undefined);

export const setMemberCookie = (request: FastifyRequest, reply: FastifyReply, token: string) =>
  setCookie(request, reply, name, token, { seconds: sessionDays.member * 86_400, sameSite: 'Lax' });

export const clearMemberCookie = (request: FastifyRequest, reply: FastifyReply) =>
  setCookie(request, reply, name, '', { seconds: 0, sameSite: 'Lax' });

const challengeName = 'sign-in';

/** What shows that this browser asked for the code that it sends. */
export const challengeCookie = (carrier: Carrier): string | undefined =>
  /^[0-9A-Za-z]{32}$/.exec(readCookie(carrier, challengeName) ?? '')?.[0];

/** The browser's challenge, for as long as the code that it asks for. */
export function keepChallenge(
  request: FastifyRequest,
  reply: FastifyReply,
  randomBytes: RandomBytes,
): string {
  const value = challengeCookie(request) ?? randomText(base62, 32, randomBytes);
  setCookie(request, reply, challengeName, value, { seconds: signInCode.minutes * 60, sameSite: 'Strict' });
  return value;
}
