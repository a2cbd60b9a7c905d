import { Alert, Anchor, Box, Button, Group, SegmentedControl, Select, Skeleton, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSend } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { MailReader, MailWarning } from '../../../../shared/contract/features/mailing-preview.ts';
import { useApi, useOwn } from '../../data/api.tsx';
import { siteQuery } from '../../data/queries.ts';
import { choicesOf } from '../../forms/input-props.ts';
import { codeOf } from '../../strings/errors.ts';
import { strings } from '../../strings/ui-strings.ts';
import { MailFrame } from '../../ui/mail-frame.tsx';
import { Pending } from '../../ui/pending.tsx';
import { toast, toastError, toastReason } from '../../ui/toast.tsx';
import classes from './newsletters.module.css';

const labels = strings.newsletters.preview;

/** Pause in typing before the preview is rendered again, in milliseconds. */
const pauseMs = 400;

interface MailPreviewProps {
  post: { id: string };
  subject: string;
  preheader: string;
  /** True if a mail server is configured. */
  canMail: boolean;
  /** Content between the controls of the preview (reader, width, test button) and the previewed email. */
  children: ReactNode;
}

/** Preview of a newsletter as a reader receives it, with a button that sends it to the user. */
export function MailPreview({ post, subject, preheader, canMail, children }: MailPreviewProps) {
  const { studio } = useApi();
  const [as, setAs] = useState<MailReader>('anonymous');
  const [form, setForm] = useState<keyof typeof labels.forms>('desk');
  const { data: site } = useQuery(siteQuery(useApi()));
  const typed = {
    subject: useDebouncedValue(subject, pauseMs)[0],
    preheader: useDebouncedValue(preheader, pauseMs)[0],
  };
  const preview = useQuery({
    queryKey: ['mail-preview', post.id, as, typed],
    queryFn: ({ signal }) => studio.mailings.preview.mutate({ post_id: post.id, as, ...typed }, { signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return (
    <section aria-label={labels.title} className={classes.preview}>
      <Group justify="space-between" gap="xs">
        <Select
          size="xs"
          className={classes.reader}
          aria-label={labels.as}
          data={choicesOf(labels.readers)}
          value={as}
          onChange={(reader) => reader && setAs(reader)}
        />
        <SegmentedControl
          size="xs"
          aria-label={labels.form}
          data={choicesOf(labels.forms)}
          value={form}
          onChange={setForm}
        />
        <TestButton {...{ as, subject, preheader }} post_id={post.id} disabled={!canMail} />
      </Group>
      {preview.data && <Warnings warnings={preview.data.warnings} />}
      {children}
      <Box className={classes.mail}>
        <div className={classes.envelope}>
          <Text fz={13} fw={600}>
            {site?.newsletter.from_name || site?.name}
          </Text>
          <Text fz={15} lh={1.35}>
            {subject}
          </Text>
          <Text fz={13} c="dimmed" lineClamp={1}>
            {preheader || preview.data?.preheader}
          </Text>
        </div>
        {preview.data ? (
          <MailFrame title={labels.mail} html={preview.data.html} form={form} />
        ) : (
          <Pending query={preview} skeleton={<Skeleton h={520} radius={0} />} />
        )}
      </Box>
    </section>
  );
}

const Warnings = ({ warnings }: { warnings: readonly MailWarning[] }) =>
  warnings.length > 0 && (
    <Alert color="yellow" py="xs">
      {warnings.map((warning) => (
        <Text key={warning} fz="sm" component="p" my={2}>
          {labels.warnings[warning]}{' '}
          {warning === 'no_postal_address' && (
            <Anchor component={Link} to="/settings" inherit underline="always">
              {labels.toSettings}
            </Anchor>
          )}
        </Text>
      ))}
    </Alert>
  );

interface TestButtonProps {
  post_id: string;
  as: MailReader;
  subject: string;
  preheader: string;
  disabled: boolean;
}

/** Button that sends the preview to the signed-in user. */
function TestButton({ disabled, ...mail }: TestButtonProps) {
  const { studio } = useApi();
  const to = useOwn()?.email ?? '';
  const testing = useMutation({
    mutationFn: () => studio.mailings.test.mutate({ ...mail, to: [to] }),
    onSuccess: ({ results: [result] }) => {
      if (result?.accepted) toast(labels.tested(to));
      else toastReason(labels.refused(result?.reply ?? null));
    },
    onError: (error) => {
      if (codeOf(error) === 'rate_limited') toastReason(labels.tooManyTests);
      else toastError(error);
    },
  });
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconSend size={14} aria-hidden />}
      loading={testing.isPending}
      disabled={disabled}
      onClick={() => testing.mutate()}
    >
      {labels.test}
    </Button>
  );
}
