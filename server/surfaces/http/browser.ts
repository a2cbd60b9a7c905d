import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Browser } from '../../kernel/context.ts';
import type { Deps } from '../../kernel/deps.ts';
import { isMarkedBy, type MarkedBrowser, markBrowser, readBrowser } from './browser-marks.ts';
import { readCookie, setCookie } from './cookies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    browser: Browser;
  }
}

const name = 'browser';

/** How long a browser keeps who signed in with it, in days. */
const rememberedDays = 365;

/** Lets browsers keep who signed in with them, so that strangers' guesses don't count against those people there. */
export function readBrowsers(app: FastifyInstance, deps: Deps) {
  app.decorateRequest('browser');
  app.addHook('onRequest', (request, reply, done) => {
    request.browser = browserOf(deps, request, reply);
    done();
  });
}

/** The cookie is looked at when somebody asks, which few requests do. */
function browserOf({ secrets, randomBytes }: Deps, request: FastifyRequest, reply: FastifyReply): Browser {
  let read: MarkedBrowser | null | undefined;
  const marked = () => (read ??= readBrowser(secrets, readCookie(request, name) ?? ''));
  return {
    id() {
      return marked()?.id;
    },
    isOf(person) {
      const browser = marked();
      return browser !== null && isMarkedBy(secrets, browser, person);
    },
    remember(person) {
      const value = markBrowser(secrets, marked(), { person, randomBytes });
      setCookie(request, reply, { name, value, seconds: rememberedDays * 86_400, sameSite: 'Strict' });
    },
  };
}
