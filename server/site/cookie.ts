import type { FastifyReply, FastifyRequest } from 'fastify';
import { signInCode } from '../../shared/contract/features/member.ts';
import { sessionDays } from '../../shared/contract/limits.ts';
import { base62, type RandomBytes, randomText } from '../../shared/contract/record-id.ts';
import { type Carrier, readCookie, setCookie } from '../http/cookies.ts';

const name = 'member';

/** Returns the session token in the member cookie of a request; undefined without the cookie. The session may have ended. */
export const memberCookie = (carrier: Carrier): string | undefined => readCookie(carrier, name);

/** Returns whether the request has a member cookie, under its secure or plain name. */
export const hasMemberCookie = (headers: Carrier['headers']) =>
  [true, false].some((isSecure) => memberCookie({ headers, isSecure }) !== undefined);

export const setMemberCookie = (request: FastifyRequest, reply: FastifyReply, token: string) =>
  setCookie(request, reply, name, token, { seconds: sessionDays.member * 86_400, sameSite: 'Lax' });

export const clearMemberCookie = (request: FastifyRequest, reply: FastifyReply) =>
  setCookie(request, reply, name, '', { seconds: 0, sameSite: 'Lax' });

const challengeName = 'sign-in';

/**
 * Returns the challenge in the cookie, which proves that this browser requested the sign-in code that it submits. Undefined
 * if it is missing or malformed.
 */
export const challengeCookie = (carrier: Carrier): string | undefined =>
  /^[0-9A-Za-z]{32}$/.exec(readCookie(carrier, challengeName) ?? '')?.[0];

/** Returns the browser's challenge, a new one if it has none, and sets its cookie for the lifetime of a sign-in code. */
export function keepChallenge(
  request: FastifyRequest,
  reply: FastifyReply,
  randomBytes: RandomBytes,
): string {
  const value = challengeCookie(request) ?? randomText(base62, 32, randomBytes);
  setCookie(request, reply, challengeName, value, { seconds: signInCode.minutes * 60, sameSite: 'Strict' });
  return value;
}
