import { Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import {
  ApiKeySummary,
  CreateApiKey,
  CreatedApiKey,
  RotatedApiKey,
  UpdateApiKey,
} from '../../../shared/contract/features/api-keys.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { ById } from '../../../shared/contract/record-id.ts';
import { admin } from '../../api/access/route.ts';
import { deletes, router, updates } from '../../api/trpc.ts';
import { createKey, deleteKey, listKeys, rotateKey, updateKey } from './store.ts';

const tag = 'api-keys';
const path = '/admin/api-keys';

export const apiKeys = {
  admin: {
    apiKeys: router({
      create: admin
        .post({ path, tag, summary: 'Create an API key; only this response contains the full key' })
        .meta({ needsProof: true })
        .input(CreateApiKey)
        .output(CreatedApiKey)
        .mutation(({ ctx, input }) => createKey(ctx.deps, ctx.siteId, input)),

      list: admin
        .get({ path, tag, summary: 'List API keys' })
        .output(simpleList(ApiKeySummary))
        .query(async ({ ctx }) => ({ data: await listKeys(ctx.deps, ctx.siteId) })),

      update: admin
        .patch({ path: `${path}/{id}`, tag, summary: 'Update an API key' })
        .meta({ conditional: true, needsProof: true })
        .input(UpdateApiKey)
        .output(Updated)
        .mutation(updates(({ ctx, input }) => updateKey(ctx, input))),

      delete: admin
        .del({ path: `${path}/{id}`, tag, summary: 'Revoke an API key' })
        .meta({ needsProof: true })
        .input(ById)
        .output(Deleted)
        .mutation(deletes(({ ctx, input }) => deleteKey(ctx.deps, ctx.siteId, input.id))),

      rotate: admin
        .action({
          path: `${path}/{id}/rotate`,
          tag,
          summary: 'Rotate an API key; the previous key remains valid for 24 hours',
        })
        .meta({ needsProof: true })
        .input(ById)
        .output(RotatedApiKey)
        .mutation(({ ctx, input }) => rotateKey(ctx.deps, ctx.siteId, input.id)),
    }),
  },
};
