import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ContentCollection } from '../../../../shared/contract/resources/index.ts';
import { useApi } from '../../data/api.tsx';
import { texts } from '../../texts/texts.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { IconTrashX } from '../../ui/icons.ts';
import { toast } from '../../ui/toast.tsx';

interface Shown {
  data: { total: number } | undefined;
  /** Whether it is still what was asked for before. */
  isPlaceholderData: boolean;
}

/** All of the trash, or what of one collection is in it, at once. */
export function useEmptying(collection: ContentCollection | undefined, { data, isPlaceholderData }: Shown) {
  const { studio } = useApi();
  const total = data?.total ?? 0;
  const queries = useQueryClient();
  const ask = useConfirm();
  const empty = () =>
    ask({
      title: texts.trash.emptyAll(total, collection),
      lead: texts.trash.emptyLead,
      action: texts.trash.purge,
      run: async () => {
        let count = 0;
        try {
          // One call removes a part of them.
          for (let removed = 1; removed > 0 && count < total; count += removed)
            removed = (await studio.trash.empty.mutate({ collection })).count;
        } finally {
          await queries.invalidateQueries({ queryKey: ['trash'] });
        }
        toast(texts.trash.emptied(count));
      },
    });
  return (
    <Button
      variant="default"
      leftSection={<IconTrashX size={16} />}
      disabled={isPlaceholderData}
      onClick={empty}
    >
      {texts.trash.empty}
    </Button>
  );
}
