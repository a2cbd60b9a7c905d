import type { AnyRouter } from '@trpc/server';
import { lazily } from '../../../shared/runtime/single-flight.ts';
import type { Lists } from './schemas.ts';

/** OpenAPI document as JSON, the same for all callers. */
export type WrittenDocument = () => Promise<string>;

/**
 * Creates the document of `router` on first use. Its generator takes time and several megabytes, so it is loaded only
 * when needed.
 */
export function createWrittenDocument(router: AnyRouter, publicUrl: URL, lists?: Lists): WrittenDocument {
  return lazily(async () => {
    const { createOpenApiDocument } = await import('./document.ts');
    return JSON.stringify(await createOpenApiDocument(router, publicUrl, lists));
  });
}
