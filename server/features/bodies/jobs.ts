import type { RenderedBody } from '../../kernel/bodies.ts';
import type { Job } from '../../kernel/offload.ts';

/** What reading a text may take. Beyond it, it is shown as it was written. */
const text = { lane: 'texts', cpuMs: 250 } as const;

export const renderJob: Job<string, RenderedBody> = { name: 'render', ...text };
export const openingJob: Job<string, string> = { name: 'opening', ...text };
export const openingParagraphsJob: Job<string, string[]> = { name: 'opening paragraphs', ...text };
