import type { OpenApiMeta } from 'trpc-to-openapi';
import type { ErrorCode } from '../../shared/contract/errors.ts';
import type { TierName } from '../../shared/contract/limits.ts';
import type { Area } from '../../shared/contract/roles.ts';
import type { McpAccess, Scope } from '../../shared/contract/scopes.ts';

/** Metadata of a procedure, in addition to its contract. All surfaces read it, and none has a list of its own. */
export interface Meta {
  /** REST endpoint with its OpenAPI documentation; undefined if not served over REST. */
  openapi?: RestRoute;
  access?: 'key' | 'owner' | 'public';
  /** Area that the signed-in person's role has to open; `site`, which only owners may enter, if undefined. */
  area?: Area;
  /** True if people with a second factor must have given it recently. */
  needsProof?: true;
  scope?: Scope;
  /** Tool that assistants call; undefined if there is no tool. */
  mcp?: ToolMeta;
  /** Collection whose version the answers depend on; set by `cachedRead`. */
  cached?: string;
  /**
   * Collections that the answers depend on, if the procedure itself is not cached. Cached pages that use the answers
   * depend on them too.
   */
  reads?: readonly string[];
  /** True if the answer depends on the reader, whom `X-Member-Token` identifies. */
  memberToken?: true;
  /** True if the procedure shows drafts that `X-Preview-Token` opens; these are never cached. */
  previewToken?: true;
  /** Tier that counts requests by client address. */
  tier?: TierName;
  /** Tier that counts calls over RPC instead of `tier`. */
  rpcTier?: TierName;
  /**
   * True if the procedure itself counts its calls, by their input. A form that calls it does not count by client address,
   * because mail programs share one.
   */
  countsByInput?: true;
  /** Additional tier that counts calls by API key. */
  keyTier?: TierName;
  /** POST without input beyond its path; a body is ignored. */
  bodyless?: true;
  /** Takes a form with a file, over REST only. */
  multipart?: true;
  /** Answers 200 instead of `status` for a record that already exists. */
  mayBeThere?: true;
  /**
   * Mutation only because its input may be long or private. It changes nothing on the site: a second call returns the
   * same answer, or another challenge.
   */
  changesNothing?: true;
  /** Does something that no transaction can undo: sends an email, or calls another server. */
  reachesOut?: true;
  /** Writes an audit entry although no owner calls it, because it changes how a site is run. */
  audited?: true;
  /**
   * Reason why an owner's change writes no audit entry: its records store their authors, or a list shows each addition
   * with its time.
   */
  unaudited?: 'history' | 'listed';
  /** REST status of success; 200 if undefined. */
  status?: 201 | 202;
  /** True if the answer contains one record, whose revision becomes part of the entity tag. */
  tagged?: true;
  /** True if the procedure accepts `If-Match`: a write of one existing record. */
  conditional?: true;
  /** Errors in addition to those that follow from access, path and input (see `ErrorOccasion`). */
  errors?: readonly ErrorCode[];
}

/** REST part of a procedure, in the format of trpc-to-openapi. */
export type RestRoute = Omit<NonNullable<OpenApiMeta['openapi']>, 'path'> & {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Full path, with parameters in braces. */
  path: `/api/${string}`;
  /** Effect in one line. */
  summary: string;
  /** Group in the documentation: one that `server/http/openapi/document.ts` describes. */
  tags: [string];
};

/** MCP part of a procedure. Title, schemas and hints of the tool come from its contract. */
export interface ToolMeta {
  /** Name such as `list_posts`. */
  name: string;
  /**
   * Resource that, together with `access`, makes the scope. If there are several, the input of each call names one, and
   * the procedure has to check its scope (`requireScopeOf`).
   */
  resource: string | readonly string[];
  /** Access of the scope; undefined for `write` on a mutation and `read` otherwise. */
  access?: McpAccess;
  /** Effect in one line, if there is no REST summary. */
  title?: string;
  /** Instructions for assistants, in addition to the summary. */
  advice?: string;
}
