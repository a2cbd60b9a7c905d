import type { OpenApiMeta } from 'trpc-to-openapi';
import type { ErrorCode } from '../../shared/contract/errors.ts';
import type { TierName } from '../../shared/contract/limits.ts';
import type { Area } from '../../shared/contract/roles.ts';
import type { McpAccess, Scope } from '../../shared/contract/scopes.ts';

/** What a procedure says of itself besides its contract: every surface reads this, none keeps a list of its own. */
export interface Meta {
  /** Where it is served over REST, and what the OpenAPI document says of it; nowhere when left out. */
  openapi?: RestRoute;
  /** Whose credential it needs. */
  access?: 'key' | 'owner' | 'public';
  /** Area that the role of whoever is signed in has to open; `site`, which only owners enter, when left out. */
  area?: Area;
  /** Whether somebody who has a second factor has to have given it lately. */
  needsProof?: true;
  /** Scope an API key needs. */
  scope?: Scope;
  /** The tool that assistants call it by; none when left out. */
  mcp?: ToolMeta;
  /** Collection whose version its answers depend on, set by `cachedRead`. */
  cached?: string;
  /** Collections that its answers depend on, where it keeps none itself: for what keeps pages that are made of them. */
  reads?: readonly string[];
  /** Whether its answer depends on who reads, which `X-Member-Token` says. */
  memberToken?: true;
  /** Whether it shows what an `X-Preview-Token` opens, which nobody keeps. */
  previewToken?: true;
  /** Tier that requests count in, by client address. */
  tier?: TierName;
  /** Tier that calls over RPC count in instead. */
  rpcTier?: TierName;
  /** Tier that calls count in by API key, besides. */
  keyTier?: TierName;
  /** A POST that is told all by its path; a body is ignored. */
  bodyless?: true;
  /** Takes a form with a file, over REST alone. */
  multipart?: true;
  /** Answers 200 instead of `status` for what is there already. */
  mayBeThere?: true;
  /** A mutation only because its input may be long or private: made again, it gives the same, or another challenge, and changes nothing of a site. */
  changesNothing?: true;
  /** Does what no transaction can take back: sends a mail, or calls an address. */
  reachesOut?: true;
  /** Leaves an entry in the audit log though no owner calls it: it changes how a site is run. */
  audited?: true;
  /** Why an owner's change leaves none: its records remember who wrote them, or what it adds is listed with its moment. */
  unaudited?: 'history' | 'listed';
  /** REST status of success; 200 unless it creates, or is done later. */
  status?: 201 | 202;
  /** Whether its answer tells of one record, whose revision becomes part of the answer's tag. */
  tagged?: true;
  /** Whether it takes `If-Match`: a write of one record that is there already. */
  conditional?: true;
  /** Errors it can give besides those that its access, path and input bring with them (see `ErrorOccasion`). */
  errors?: readonly ErrorCode[];
}

/** The REST side of a procedure, as trpc-to-openapi reads it. */
export type RestRoute = Omit<NonNullable<OpenApiMeta['openapi']>, 'path'> & {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** As it is served, parameters in braces. */
  path: `/api/${string}`;
  /** What it does, in one line. */
  summary: string;
  /** Group in the documentation: one that `server/http/openapi/document.ts` describes. */
  tags: [string];
};

/** The MCP side of a procedure: title, schemas and hints of the tool come from its contract. */
export interface ToolMeta {
  /** `list_posts` */
  name: string;
  /**
   * What it is about: with its access, that makes its scope. Of several, each call is about the one that its input names, and
   * has to check that scope itself (`requireScopeOf`).
   */
  resource: string | readonly string[];
  /** What its scope opens; left out, whether it is a mutation says. */
  access?: McpAccess;
  /** What it does, in one line, where no REST path says so. */
  title?: string;
  /** What an assistant should know before it calls, besides the summary. */
  advice?: string;
}
