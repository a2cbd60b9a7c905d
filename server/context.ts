import type { FastifyRequest } from 'fastify';
import type { CollectionVersion } from './access/api-key.ts';
import type { Reader } from './content/gate.ts';
import type { Deps } from './deps.ts';
import type { ApiError } from './errors.ts';
import type { Verdict } from './http/rate-limiter.ts';

export type Surface = 'rest' | 'rpc' | 'mcp';

/** What a procedure knows of the request, whichever surface it came through. */
export interface Context {
  deps: Deps;
  surface: Surface;
  /** The client's address as rate limits count it. */
  client: string;
  /** Host name asked for, without port, in lower case. */
  host: string;
  authorization: string | undefined;
  origin: string | undefined;
  referer: string | undefined;
  /** A member's session token. */
  memberToken: string | undefined;
  userAgent: string | undefined;
  /** Whose content it is about: known once the caller is. */
  siteId?: string | undefined;
  /** The collection that `meta.cached` names, as of this request. */
  collection?: CollectionVersion | undefined;
  /** Who reads posts: known once a procedure asked for it. */
  reader?: Reader | undefined;
  /** What each limit that the request passed said; shared with the reply's headers. */
  verdicts: Verdict[];
  /** The calls of an RPC request that are over a limit, by their place in the batch. */
  refusedCalls: ReadonlyMap<number, ApiError>;
}

export function createContext(deps: Deps, request: FastifyRequest, surface: Surface): Context {
  const { authorization, origin, referer, host } = request.headers;
  return {
    deps,
    surface,
    client: request.client,
    host: hostName(host),
    authorization,
    origin,
    referer,
    memberToken: single(request.headers['x-member-token']),
    userAgent: request.headers['user-agent'],
    verdicts: request.verdicts,
    refusedCalls: request.refusedCalls,
  };
}

const hostName = (host = '') => host.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase();

const single = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);
