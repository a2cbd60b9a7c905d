import type {
  ListResourcesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { paging } from '../../../shared/contract/limits.ts';
import { covers } from '../../../shared/contract/scopes.ts';
import { ApiError } from '../../api/api-error.ts';
import { logCall, type McpRequest } from './mcp-request.ts';
import { markdown, postText, postUri, siteReads } from './site-reads.ts';
import type { McpSurface } from './tools.ts';

const openApi: Resource = {
  uri: 'site://openapi.json',
  name: 'openapi.json',
  title: 'REST API of the site',
  description: 'OpenAPI 3.1 document with all endpoints, fields, scopes and errors',
  mimeType: 'application/json',
};

const postTemplate: ResourceTemplateType = {
  uriTemplate: postUri('{slug}'),
  name: 'post',
  title: 'Post',
  description: 'Post of the site as Markdown, by its slug',
  mimeType: markdown,
};

const mayReadPosts = (granted: readonly string[]) => covers(granted, 'mcp:posts:read');

export const templatesFor = (granted: readonly string[]) => (mayReadPosts(granted) ? [postTemplate] : []);

/**
 * Lists the OpenAPI document and, if the key may read posts, all posts: newest first, in pages. An undefined `cursor`
 * is the first page; `nextCursor` is missing on the last one. Throws the errors of `list_posts`.
 */
export async function listResources(
  surface: McpSurface,
  request: McpRequest,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const first = cursor === undefined ? [openApi] : [];
  if (!mayReadPosts(request.key.scopes)) return { resources: first };
  const page = await logCall(request, { resource: 'list' }, () =>
    siteReads(surface, request).postLinks({ cursor, limit: paging.cursor.max }),
  );
  const posts = page.data.map(({ title, slug, excerpt }) => ({
    uri: postUri(slug),
    name: slug,
    title,
    description: excerpt,
    mimeType: markdown,
  }));
  return { resources: [...first, ...posts], ...(page.next_cursor && { nextCursor: page.next_cursor }) };
}

/** Reads a resource. Throws `not_found` for an unknown URI, and the errors of `get_post` for a post. */
export function readResource(
  surface: McpSurface,
  request: McpRequest,
  uri: string,
): Promise<ReadResourceResult> {
  if (uri === openApi.uri) {
    return logCall(request, { resource: 'openapi' }, async () => ({
      contents: [{ uri, mimeType: openApi.mimeType, text: await surface.document() }],
    }));
  }
  return logCall(request, { resource: 'post' }, async () => {
    const slug = /^site:\/\/posts\/([^/]+)$/.exec(uri)?.[1];
    if (!slug) throw new ApiError('not_found');
    const post = await siteReads(surface, request).post(slug);
    return { contents: [{ uri, mimeType: markdown, text: postText(post) }] };
  });
}
