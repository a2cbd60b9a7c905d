import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  ImportAnswers,
  ImportMode,
  type TransferKind,
  transfersPath,
} from '../../../shared/contract/features/import-export.ts';
import { safeParseJson } from '../../../shared/runtime/parse-json.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { textsOf } from '../body.ts';
import { logOf } from '../request-log.ts';
import { hostName } from '../request-target.ts';
import { leaveRest } from '../rest/upload.ts';
import type { Http } from '../send-representation.ts';

/**
 * Serves exports and imports for the single request of a ticket: a browser saves a download by itself, and cannot send
 * a token with it.
 */
export async function serveTransfers(app: FastifyInstance, deps: Deps) {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  const url = `${transfersPath}/:site/:ticket`;
  const config = { tier: 'studio' } as const;
  // A HEAD request would use up the ticket.
  app.head(url, { config }, () => {
    throw new ApiError('not_found');
  });
  app.get(url, { config, exposeHeadRoute: false }, async (request, reply) => {
    const ticket = await redeem(deps, request, ['export', 'subscribers', 'members']);
    const archive = await begin({ request, reply }, (onBegun) => deps.transfers.send(ticket, onBegun));
    const day = deps.clock.now().toISOString().slice(0, 10);
    const [type, name] =
      ticket.kind === 'export'
        ? ['application/gzip', `site-${day}.tar.gz`]
        : ['text/csv; charset=utf-8; header=present', `${ticket.kind}-${day}.csv`];
    reply.type(type).header('Content-Disposition', `attachment; filename="${name}"`);
    return reply.headers(passing).send(archive);
  });
  app.post(url, { config: { ...config, takesFile: true } }, async (request, reply) => {
    const http = { request, reply };
    try {
      const { fetch_media, mode, answers } = textsOf(request.query);
      const file = {
        body: request.raw,
        fetchMedia: fetch_media === 'true',
        mode: modeIn(mode),
        answers: answersIn(answers),
      };
      const ticket = await redeem(deps, request, ['check', 'import']);
      const lines = await begin(http, (onBegun) => deps.transfers.take(ticket, file, onBegun));
      return reply.type('application/x-ndjson; charset=utf-8').headers(passing).send(lines);
    } catch (error) {
      leaveRest(http);
      throw error;
    }
  });
}

/**
 * Parses the mode in the URL of a ticket. Throws `validation_failed` for an unknown one, because a misspelled mode must
 * not publish drafts.
 */
function modeIn(written: string | undefined): ImportMode {
  const mode = ImportMode.safeParse(written ?? 'as-marked');
  if (mode.success) return mode.data;
  throw new ApiError('validation_failed', 'mode: must be as in the address of the ticket');
}

/** Parses the answers in the URL of a ticket. Throws `validation_failed` if they are malformed. */
function answersIn(written = '{}'): ImportAnswers {
  const answers = ImportAnswers.safeParse(safeParseJson(written));
  if (answers.success) return answers.data;
  throw new ApiError('validation_failed', 'answers: must be as in the address of the ticket');
}

/** Headers that prevent caching, buffering and content sniffing. */
const passing = {
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
  'X-Content-Type-Options': 'nosniff',
} as const;

function redeem({ transfers }: Deps, request: FastifyRequest, kinds: readonly TransferKind[]) {
  const { site = '', ticket = '' } = textsOf(request.params);
  return transfers.redeem({ siteId: site, token: ticket, kinds, host: hostName(request.headers.host) });
}

/**
 * Waits until the work yields its first output, and returns that as a stream. When the reader disconnects, the stream
 * is destroyed. Throws earlier failures of the work.
 */
async function begin(
  { request, reply }: Http,
  work: (onBegun: (answer: Readable) => void) => Promise<void>,
): Promise<Readable> {
  const begun = Promise.withResolvers<Readable>();
  const done = work((answer) => {
    reply.raw.once('close', () => answer.destroy());
    begun.resolve(answer);
  });
  const answer = await Promise.race([begun.promise, done.then(() => begun.promise)]);
  done.catch((err: unknown) => logOf(request).warn({ err }, 'export or import ended early'));
  return answer;
}
