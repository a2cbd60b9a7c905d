import { ApiError } from '../../kernel/api-error.ts';

/** What to throw for a file that is not what its beginning promises. */
export const damaged = (cause?: unknown) => new ApiError('media_damaged', undefined, { cause });
