import { useQueryClient } from '@tanstack/react-query';
import { retentionDays } from '../../../../shared/contract/limits.ts';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { useApi } from '../../data/api.tsx';
import { shapeOf, titleOf } from '../../data/record-shape.ts';
import { forgetLists, oneByOne, recordsOf, TrashAddress, type Values } from '../../data/records.ts';
import { messageFor } from '../../strings/errors.ts';
import { strings } from '../../strings/ui-strings.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { toast, toastError, toastReason } from '../../ui/toast.tsx';

type Deleted = Values & { id: string };

interface DeletionOptions {
  resource: Resource;
  /** Text of the confirmation, instead of the default. */
  lead?: string;
  /** Called when records are in the trash. */
  onDeleted(records: readonly Deleted[]): unknown;
  /** Called when records were restored. */
  onRestored?(): unknown;
}

/**
 * Returns a function that moves records to the trash and offers an undo. It asks for confirmation unless all records
 * are drafts or private.
 */
export function useDeletion({ resource, lead, onDeleted, onRestored }: DeletionOptions) {
  const api = useApi();
  const queries = useQueryClient();
  const confirm = useConfirm();
  const { collection } = resource;
  const nameOf = (records: readonly Deleted[]) =>
    records.length === 1 && records[0]
      ? titleOf(shapeOf(resource), records[0]) || strings.records.untitled
      : null;
  const bringBack = async (records: readonly Deleted[]) => {
    const { done, left, failure } = await oneByOne(records, async (record) => {
      await api.studio.trash.restore.mutate(TrashAddress.parse({ collection, id: record.id }));
      return record;
    });
    if (done.length === 0) {
      void forgetLists(queries, collection);
      throw failure;
    }
    await onRestored?.();
    await forgetLists(queries, collection);
    const name = nameOf(done);
    toast(name === null ? strings.trash.restoredMany(done.length) : strings.trash.restored(name));
    if (left > 0) toastReason(strings.records.left(left, messageFor(failure)));
  };
  const removeNow = async (records: readonly Deleted[]) => {
    const { done, left, failure } = await oneByOne(records, async (record) => {
      await recordsOf(api, resource).delete.mutate({ id: record.id });
      return record;
    });
    if (done.length === 0) {
      void forgetLists(queries, collection);
      throw failure;
    }
    await onDeleted(done);
    await forgetLists(queries, collection);
    const name = nameOf(done);
    toast(
      name === null ? strings.records.deletedMany(done.length) : strings.records.deleted(name),
      () => void bringBack(done).catch(toastError),
    );
    if (left > 0) toastReason(strings.records.left(left, messageFor(failure)));
  };
  return (records: readonly Deleted[]) => {
    if (!records.some(isSeen)) return void removeNow(records).catch(toastError);
    const name = nameOf(records);
    confirm({
      title: name === null ? strings.records.deleteMany(records.length) : strings.records.deleteOne(name),
      lead: lead ?? strings.records.deleteLead(retentionDays.trash),
      action: strings.common.delete,
      run: () => removeNow(records),
    });
  };
}

/** True unless the record is a draft or private. Records without these fields, such as lessons, count as visible. */
const isSeen = ({ is_draft, visibility }: Values) => is_draft !== true && visibility !== 'private';
