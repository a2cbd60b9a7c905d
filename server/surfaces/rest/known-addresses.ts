import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { answerKey } from '../../cache/cached-read.ts';
import type { KnownKey } from '../../kernel/callers.ts';
import { type Coding, codingFor, tagOf } from '../../kernel/coded.ts';
import type { Context } from '../../kernel/context.ts';
import type { Deps } from '../../kernel/deps.ts';
import { hasTag } from '../../kernel/entity-tag.ts';
import type { RestProcedure } from '../../kernel/procedures.ts';
import { nextLink } from './query.ts';

/** An address that was answered from memory, with what its route read of it. */
export interface Known {
  procedure: RestProcedure;
  route: string;
  tier: NonNullable<RestProcedure['meta']['tier']>;
  question: string;
  url: string;
  /** `Link` of each answer. */
  links: WeakMap<object, readonly string[]>;
}

/** What the addresses take that are known, roughly, and one besides its texts. */
const mostBytes = 4 * 1024 * 1024;
const overheadBytes = 500;

/** The addresses that were answered from memory: those that were asked for last. */
export function createKnownAddresses() {
  const known = new LRUCache<string, Known>({
    maxSize: mostBytes,
    sizeCalculation: ({ question }, url) => 2 * (url.length + question.length) + overheadBytes,
  });
  return {
    /** What is known of the address of a request. */
    find: ({ url = '' }: IncomingMessage): Known | undefined => known.get(url),

    /** To be called with each request that its route has answered. */
    learn(request: FastifyRequest, procedure: RestProcedure, { answer: { question }, memberToken }: Context) {
      const { tier, access, keyTier } = procedure.meta;
      const isPlain = request.method === 'GET' && memberToken === undefined;
      if (question === undefined || !isPlain || !tier || access !== 'key' || keyTier) return;
      const route = request.routeOptions.url ?? '';
      const links: Known['links'] = new WeakMap();
      known.set(request.originalUrl, { procedure, route, tier, question, url: request.url, links });
    },
  };
}

export type KnownAddresses = ReturnType<typeof createKnownAddresses>;

/** An answer as it is sent to one who takes it in that coding. */
export interface Form {
  tag: string;
  coding: Coding | null;
  /** Null for one who has it. */
  body: Buffer | string | null;
  link: readonly string[];
}

/** What an address has for who holds this key; undefined where that is not in memory as it is to be sent. */
export function formOf(
  { procedure, question, links, url }: Known,
  { responses }: Pick<Deps, 'responses'>,
  { key, headers }: { key: KnownKey; headers: IncomingMessage['headers'] },
): Form | undefined {
  if (!key.collection) return undefined;
  const content = { siteId: key.site_id, version: key.collection.version };
  const kept = responses.peek(answerKey(procedure.name, content, question));
  const rendered = responses.renderedOf(kept);
  if (!kept || !rendered) return undefined;
  const bytes = rendered.body();
  const coding = codingFor(headers['accept-encoding'], bytes);
  const tag = tagOf(rendered.etag(), coding);
  const has = headers['if-none-match'];
  const body = has && hasTag(has, tag) ? null : bytes.written(coding);
  return body === undefined
    ? undefined
    : { tag, coding, body, link: linkOf({ procedure, links, url }, kept) };
}

function linkOf(
  { links, procedure, url }: Pick<Known, 'links' | 'procedure' | 'url'>,
  kept: object,
): readonly string[] {
  const made = links.get(kept);
  if (made) return made;
  const link = nextLink(procedure, url, kept);
  const header = link ? ['link', link] : [];
  links.set(kept, header);
  return header;
}
