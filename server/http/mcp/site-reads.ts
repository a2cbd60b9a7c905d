import { z } from 'zod';
import { PostV1 } from '../../../shared/contract/features/post-read.ts';
import { Profile } from '../../../shared/contract/features/profile.ts';
import { call } from '../../api/calls/call.ts';
import type { McpRequest } from './mcp-request.ts';
import type { McpSurface } from './tools.ts';

/**
 * Returns functions by which resources and prompts read the profile, a post, and links to posts. Each calls a procedure,
 * which checks the key's scope like the tool of the same procedure.
 */
export function siteReads({ procedures }: McpSurface, { ctx }: McpRequest) {
  const answer = (name: string, input: object) => {
    const procedure = procedures.get(name);
    if (!procedure) throw new Error(`unknown procedure ${name}`);
    return call(procedure, { ctx, getRawInput: async () => input });
  };
  return {
    profile: async () => Profile.parse(await answer('v1.profile.get', {})),
    post: async (slug: string) => PostV1.parse(await answer('v1.posts.get', { slug })),
    postLinks: async (input: { limit: number; cursor?: string | undefined }) =>
      PostLinks.parse(await answer('v1.posts.list', { ...input, fields: Object.keys(PostLink.shape) })),
  };
}

const PostLink = PostV1.pick({ title: true, slug: true, excerpt: true });
const PostLinks = z.object({ data: z.array(PostLink), next_cursor: z.string().optional() });

export const markdown = 'text/markdown';

export const postUri = (slug: string) => `site://posts/${slug}`;

type Post = Pick<z.output<typeof PostV1>, 'title' | 'excerpt' | 'content' | 'gate_reason'>;

/** Renders a post for assistants as Markdown: its title, and its body, or the excerpt if the body is withheld. */
export function postText({ title, excerpt, content, gate_reason }: Post): string {
  const body = content ?? `${excerpt}\n\n(The content is withheld: ${gate_reason})`;
  return `# ${title}\n\n${body.trim()}\n`;
}
