import type { Meta } from '../../server/api/meta.ts';
import { type Procedure, proceduresOf } from '../../server/api/procedures.ts';
import { appRouter } from '../../server/api/router/app-router.ts';
import type { TestApp } from './app.ts';
import { exampleInput, toJsonSchema } from './examples.ts';
import type { Answer } from './http.ts';

type Input = Record<string, unknown>;
type Caller = Pick<TestApp, 'get' | 'post' | 'call'>;

/** Procedure with one of its surfaces. */
export interface Call {
  /** Title such as `REST v1.posts.update`. */
  title: string;
  name: string;
  access: Meta['access'];
  meta: Meta;
  writes: boolean;
  /** True if it leaves an entry in the audit log. */
  audited: boolean;
  /** Input that matches the contract. */
  example: Input;
  send(app: Caller, input: Input, key: string): Promise<Answer & { headers: Headers }>;
}

/** Inputs instead of the example of the contract, which has the fields of both kinds of offers. */
const examples: Record<string, Input> = {
  'studio.offers.create': { title: 'Membership', interval: 'month', amount: 5, currency: 'EUR' },
};

const answering = [...proceduresOf(appRouter).values()].filter(({ type }) => type !== 'subscription');

/**
 * Calls of every procedure over RPC, and over REST if it has a path. Subscriptions have their own tests:
 * `followers.test.ts`, `event-following.test.ts`.
 */
export const calls: readonly Call[] = answering.flatMap((procedure) => {
  const { name, meta } = procedure;
  const { openapi, access, bodyless } = meta;
  const writes = procedure.type === 'mutation';
  const audited = procedure.isAudited;
  const about = { name, access, meta, writes, audited, example: examples[name] ?? exampleInput(procedure) };
  const rpc = { ...about, title: `RPC ${name}`, send: sendRpc(name, writes) };
  if (!openapi) return [rpc];
  const { method, path } = openapi;
  const hasBody = !bodyless && (method === 'POST' || method === 'PATCH');
  return [
    rpc,
    { ...about, title: `REST ${name}`, send: sendRest(method, path, hasBody || neededOf(procedure)) },
  ];
});

function sendRpc(name: string, writes: boolean): Call['send'] {
  return (app, input, key) => {
    if (writes) return app.post(`/trpc/${name}`, { key, body: { json: input } });
    return app.get(`/trpc/${name}?input=${encodeURIComponent(JSON.stringify({ json: input }))}`, { key });
  };
}

/** Names of the required inputs of a read. */
function neededOf({ input }: Procedure): readonly string[] {
  return input ? (toJsonSchema(input).required ?? []) : [];
}

function sendRest(method: string, path: string, sent: true | readonly string[]): Call['send'] {
  return (app, input, key) => {
    const rest = { ...input };
    const filled = path.replace(/{(\w+)}/g, (_, parameter: string) => {
      delete rest[parameter];
      return encodeURIComponent(String(input[parameter]));
    });
    if (sent === true) return app.call(method, filled, { key, body: rest });
    const query = sent.flatMap((name) =>
      name in rest ? [`${name}=${encodeURIComponent(String(rest[name]))}`] : [],
    );
    return app.call(method, query.length > 0 ? `${filled}?${query.join('&')}` : filled, { key });
  };
}
