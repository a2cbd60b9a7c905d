import type { AnyRouter } from '@trpc/server';
import { lazily } from '../../../shared/runtime/single-flight.ts';
import type { Lists } from './schemas.ts';

/** The OpenAPI document as JSON, the same for everybody. */
export type WrittenDocument = () => Promise<string>;

/**
 * The document of what `router` serves, written down when it is first asked for. What writes it takes several megabytes, and
 * time, so it is not loaded where nobody asks.
 */
export function createWrittenDocument(router: AnyRouter, publicUrl: URL, lists?: Lists): WrittenDocument {
  return lazily(async () => {
    const { createOpenApiDocument } = await import('./document.ts');
    return JSON.stringify(await createOpenApiDocument(router, publicUrl, lists));
  });
}
