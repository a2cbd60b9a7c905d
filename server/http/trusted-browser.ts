import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RandomBytes } from '../../shared/contract/record-id.ts';
import type { SecretBox } from '../../shared/runtime/secret-box.ts';
import type { Browser } from '../api/context.ts';
import type { Deps } from '../api/deps.ts';
import { readCookie, setCookie } from './cookies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    browser: Browser;
  }
}

const name = 'browser';

/** Lifetime of the cookie with the people who signed in, in days. */
const rememberedDays = 365;

/**
 * Gives requests a `browser`: a signed cookie with the people who signed in there. Wrong attempts of strangers then do
 * not lock those people out in their own browser.
 */
export function readBrowsers(app: FastifyInstance, deps: Deps) {
  app.decorateRequest('browser');
  app.addHook('onRequest', (request, reply, done) => {
    request.browser = browserOf(deps, request, reply);
    done();
  });
}

/** Returns the browser of a request. Its cookie is read on first use, because few requests need it. */
function browserOf({ secrets, randomBytes }: Deps, request: FastifyRequest, reply: FastifyReply): Browser {
  let read: TrustedBrowser | null | undefined;
  const trusted = () => (read ??= readBrowser(secrets, readCookie(request, name) ?? ''));
  return {
    id() {
      return trusted()?.id;
    },
    isOf(person) {
      const browser = trusted();
      return browser !== null && isTrustedBy(secrets, browser, person);
    },
    remember(person) {
      const value = trustBrowser(secrets, trusted(), person, randomBytes);
      setCookie(request, reply, name, value, { seconds: rememberedDays * 86_400, sameSite: 'Strict' });
    },
  };
}

type Signer = Pick<SecretBox, 'fingerprint'>;

/** Browser with an earlier sign-in: an id that only this service can sign, and a hash of each person who signed in. */
interface TrustedBrowser {
  id: string;
  personHashes: readonly string[];
}

/** Maximum number of people in one browser's cookie, the latest. */
const maxTrustedPeople = 4;

const shape = /^[\w-]{22}(\.[\w-]{43}){2,5}$/;

/** Reads the cookie; null if it is malformed or its signature is not by this service. */
function readBrowser(secrets: Signer, cookie: string): TrustedBrowser | null {
  if (!shape.test(cookie)) return null;
  const [id = '', signature = '', ...personHashes] = cookie.split('.');
  return isEqual(signature, signatureOf(secrets, id)) ? { id, personHashes } : null;
}

const isTrustedBy = (secrets: Signer, { id, personHashes }: TrustedBrowser, person: string) =>
  personHashes.some((personHash) => isEqual(personHash, personHashOf(secrets, id, person)));

function trustBrowser(
  secrets: Signer,
  browser: TrustedBrowser | null,
  person: string,
  randomBytes: RandomBytes,
): string {
  const id = browser?.id ?? Buffer.from(randomBytes(16)).toString('base64url');
  const own = personHashOf(secrets, id, person);
  const others = browser?.personHashes.filter((personHash) => personHash !== own) ?? [];
  return [id, signatureOf(secrets, id), own, ...others.slice(0, maxTrustedPeople - 1)].join('.');
}

const signatureOf = ({ fingerprint }: Signer, id: string) => fingerprint(`browser ${id}`);
const personHashOf = ({ fingerprint }: Signer, id: string, person: string) =>
  fingerprint(`browser ${id} of ${person}`);

const isEqual = (given: string, expected: string) =>
  given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
