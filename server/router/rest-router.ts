import { mergeRouters } from '../kernel/trpc.ts';
import { appRouter } from './app-router.ts';
import { uploadsRouter } from './uploads.ts';

/** Every procedure that has a REST path, among others. */
export const restRouter = mergeRouters(appRouter, uploadsRouter);
