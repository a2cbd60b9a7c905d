import { uploadMedia, uploadOwnMedia } from '../features/media/upload.ts';
import { router } from '../kernel/trpc.ts';

/** Procedures that take files, which neither the JSON of RPC nor that of tools can carry: served over REST alone. */
export const uploadsRouter = router({ uploads: router({ media: uploadMedia, ownMedia: uploadOwnMedia }) });
