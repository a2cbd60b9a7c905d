import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CreatePreview, previewLimits as limits } from '../../../../shared/contract/features/previews.ts';
import { type AccessTier, accessTierLabels } from '../../../../shared/contract/resources/access-tier.ts';
import { useAccountStorage, useApi } from '../../data/api.tsx';
import { queryOf } from '../../data/queries.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { createOnce } from '../../forms/idempotent-create.ts';
import { choicesOf } from '../../forms/input-props.ts';
import { TimeInput } from '../../forms/time-input.tsx';
import { messageFor } from '../../strings/errors.ts';
import { strings } from '../../strings/ui-strings.ts';
import { copyText } from '../../ui/browser.ts';
import { Note } from '../../ui/note.tsx';
import { Copyable } from '../../ui/secret-dialog.tsx';
import { useTimeFormat } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrite } from '../../ui/use-write.ts';
import { useOpenRecord } from './use-record-editor.ts';

const labels = strings.previews;

/** Dialog that creates a preview link to a draft and lists the site's active preview links. */
export default function PreviewDialog({ onClose }: { onClose(): void }) {
  const { resource, editor } = useOpenRecord();
  const { studio } = useApi();
  const queries = useQueryClient();
  const { storage } = useAccountStorage();
  const [once] = useState(() => createOnce(storage, `previews:${editor.id}`));
  const [as, setAs] = useState<AccessTier>('free');
  const [end, setEnd] = useState<Date | null>(() => new Date(Date.now() + limits.days * 86_400_000));
  const making = useMutation({
    mutationFn: async () => {
      // Save first, so that the preview contains the latest edits.
      await editor.saveTyped();
      const input = { collection: resource.collection, id: editor.id, as, ...(end && { ends_at: end }) };
      const { answer } = await once.send(input, (input, options) =>
        studio.previews.create.mutate(CreatePreview.parse(input), options),
      );
      return answer.url;
    },
    onSuccess: async (url) => {
      void queries.invalidateQueries({ queryKey: ['previews'] });
      if (await copyText(url)) toast(labels.copied);
    },
  });
  return (
    <FormDialog
      title={labels.title}
      action={labels.copy}
      form={{
        isSending: making.isPending,
        failure: making.error && messageFor(making.error),
        isChanged: false,
        refusals: 0,
        submit: () => making.mutate(),
      }}
      onClose={onClose}
    >
      <Note>{labels.lead}</Note>
      {'access_tier' in resource.fields && (
        <Select
          {...labels.as}
          data={choicesOf(accessTierLabels)}
          value={as}
          comboboxProps={{ withinPortal: false }}
          onChange={(tier) => tier && setAs(tier)}
        />
      )}
      <TimeInput
        label={labels.end}
        description={labels.endHelp(limits.maxDays)}
        value={end}
        required
        onChange={setEnd}
      />
      {making.data && <Copyable text={making.data} />}
      <Links of={editor.id} />
    </FormDialog>
  );
}

/** Active preview links of the whole site, those of this record first. The site's limit applies to all of them together. */
function Links({ of }: { of: string }) {
  const { previews } = useApi().studio;
  const { inFull } = useTimeFormat();
  const { data } = useQuery(queryOf(['previews'], previews.list, undefined));
  const ending = useWrite({
    run: (id: string) => previews.revoke.mutate({ id }),
    refreshes: ['previews'],
    done: () => toast(labels.ended),
  });
  const links = (data?.data ?? []).toSorted(
    (a, b) => Number(b.record_id === of) - Number(a.record_id === of),
  );
  if (links.length === 0) return null;
  return (
    <section aria-label={labels.links}>
      <Text fz="sm" fw={500}>
        {labels.links}
      </Text>
      <Stack component="ul" gap={4} p={0} m={0} mt={6} style={{ listStyle: 'none' }}>
        {links.map(({ id, title, as, ends_at }) => (
          <Group component="li" key={id} justify="space-between" wrap="nowrap" gap="xs">
            <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
              {title ?? strings.records.untitled}
              <Text span c="dimmed" inherit>
                {` · ${labels.linkOf(accessTierLabels[as], inFull(ends_at))}`}
              </Text>
            </Text>
            <Button
              flex="none"
              size="compact-sm"
              variant="subtle"
              color="red"
              aria-label={labels.endOf(title ?? strings.records.untitled)}
              loading={ending.isPending && ending.variables === id}
              onClick={() => ending.mutate(id)}
            >
              {labels.endLink}
            </Button>
          </Group>
        ))}
      </Stack>
    </section>
  );
}
