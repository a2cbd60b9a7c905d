import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { findPendingMigrations } from '../../../shared/db/migrate.ts';
import type { Deps } from '../../kernel/deps.ts';

/** How long the database may take to answer that it is there. */
const timeoutMs = 900;

/** How long its answer holds: whoever asks, it is asked no more often than this. */
const holdsMs = 1_000;

type Answer = { status: 'ready' } | { status: 'not ready'; reason: string };

/** `/healthz` says that the process lives, `/readyz` that it can serve: the database answers and is migrated. */
export function serveHealth(app: FastifyInstance, deps: Deps) {
  app.get('/healthz', async () => ({ status: 'ok' }));
  const isReady = createReadiness(deps);
  app.get('/readyz', async (_request, reply) => {
    const answer = await isReady();
    return reply.code(answer.status === 'ready' ? 200 : 503).send(answer);
  });
}

/** Answers within `timeoutMs` whatever the database does, and has one question to it under way at most. */
function createReadiness({ database, clock, logger }: Pick<Deps, 'database' | 'clock' | 'logger'>) {
  let asked: { at: number; answer: Promise<Answer> } | undefined;
  let underWay = false;
  return (): Promise<Answer> => {
    const now = clock.now().getTime();
    if (asked && (underWay || now - asked.at < holdsMs)) return asked.answer;
    underWay = true;
    const asking = ask(database, logger).finally(() => {
      underWay = false;
    });
    asked = { at: now, answer: Promise.race([asking, silence()]) };
    return asked.answer;
  };
}

async function ask(database: Deps['database'], logger: FastifyBaseLogger): Promise<Answer> {
  try {
    const pending = await findPendingMigrations(database);
    if (pending.length === 0) return { status: 'ready' };
    return { status: 'not ready', reason: 'migrations are pending: run `npx -y pnpm ops migrate`' };
  } catch (error) {
    logger.error({ err: error }, 'not ready');
    return noAnswer;
  }
}

const noAnswer: Answer = { status: 'not ready', reason: 'the database does not answer' };

const silence = () =>
  new Promise<Answer>((resolve) => {
    setTimeout(() => resolve(noAnswer), timeoutMs).unref();
  });
