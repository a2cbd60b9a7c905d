import type { GetPromptResult, Prompt, PromptMessage } from '@modelcontextprotocol/server';
import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { cutText } from '../../../shared/contract/cut-text.ts';
import { covers, type Scope } from '../../../shared/contract/scopes.ts';
import { ApiError } from '../../api/api-error.ts';
import { logCall, type McpRequest } from './mcp-request.ts';
import { markdown, postText, postUri, siteReads } from './site-reads.ts';
import type { McpSurface } from './tools.ts';

const Arguments = z.object({
  topic: z.string().min(1).max(2_000).describe('Topic of the post'),
  notes: z.string().max(20_000).optional().describe('Facts to use, an outline, or things to avoid'),
});

const needed: Scope[] = ['mcp:profile:read', 'mcp:posts:read'];

const samples = 5;
const sampleLength = 6_000;

const draftPost: Prompt = {
  name: 'draft_post',
  title: "Draft a post in the site's voice",
  description: 'Provides the profile and the latest posts, and requests a draft in the same voice',
  arguments: Object.entries(Arguments.shape).map(([name, schema]) => ({
    name,
    description: schema.meta()?.description ?? '',
    required: !schema.isOptional(),
  })),
};

export const promptsFor = (granted: readonly string[]): Prompt[] =>
  needed.every((scope) => covers(granted, scope)) ? [draftPost] : [];

/**
 * Renders a prompt. Throws `invalid_request` for an unknown prompt or invalid arguments, and the errors of the tools
 * that it reads with, such as `insufficient_scope`.
 */
export function getPrompt(
  surface: McpSurface,
  request: McpRequest,
  { name, arguments: given = {} }: { name: string; arguments?: Record<string, string> | undefined },
): Promise<GetPromptResult> {
  const known = name === draftPost.name;
  return logCall(request, { prompt: known ? name : 'unknown' }, async () => {
    if (!known) throw new ApiError('invalid_request', 'unknown prompt');
    const parsed = Arguments.safeParse(given);
    if (!parsed.success) throw new TRPCError({ code: 'BAD_REQUEST', cause: parsed.error });
    return {
      description: draftPost.title ?? name,
      messages: await draftMessages(surface, request, parsed.data),
    };
  });
}

/**
 * Reads posts one by one, because together they may be too large for an answer. A post that was deleted in the meantime
 * is omitted.
 */
async function latestPosts(site: ReturnType<typeof siteReads>) {
  const { data } = await site.postLinks({ limit: samples });
  const posts: { slug: string; text: string }[] = [];
  for (const { slug } of data) {
    try {
      posts.push({ slug, text: cutText(postText(await site.post(slug)), sampleLength) });
    } catch (error) {
      if (!(error instanceof ApiError) || error.errorCode !== 'not_found') throw error;
    }
  }
  return posts;
}

async function draftMessages(
  surface: McpSurface,
  request: McpRequest,
  { topic, notes }: z.output<typeof Arguments>,
): Promise<PromptMessage[]> {
  const site = siteReads(surface, request);
  const [{ name, headline, summary }, posts] = await Promise.all([site.profile(), latestPosts(site)]);
  const text = [
    `Draft a blog post for the site of ${name}${headline && ` (${headline})`}.`,
    summary && `About the author: ${summary}`,
    `Topic: ${topic}`,
    notes && `Notes: ${notes}`,
    posts.length > 0
      ? "The site's latest posts follow. Match their voice: person, tone, sentence length, structure and vocabulary. Do not copy passages."
      : 'The site has no posts yet: write plainly, in the first person.',
    'Do not state anything about the author or the world that neither the notes nor the posts support. If a fact is missing, leave a note in brackets.',
    'Return a title, an excerpt of one or two sentences, up to five tags, and the body in Markdown.',
    covers(request.key.scopes, 'mcp:posts:write') &&
      'Do not save anything before the author agrees; then use create_post with is_draft set to true.',
  ];
  return [
    { role: 'user', content: { type: 'text', text: text.filter(Boolean).join('\n\n') } },
    ...posts.map(({ slug, text }): PromptMessage => {
      const resource = { uri: postUri(slug), mimeType: markdown, text };
      return { role: 'user', content: { type: 'resource', resource } };
    }),
  ];
}
