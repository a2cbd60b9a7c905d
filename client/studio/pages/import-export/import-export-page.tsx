import { Button, Paper, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApi } from '../../data/api.tsx';
import { texts } from '../../texts/texts.ts';
import { IconDownload } from '../../ui/icons.ts';
import { Screen } from '../../ui/screen.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import classes from './import-export.module.css';
import { ImportPanel } from './import-panel.tsx';

/** The way of a site out and in. */
export function ImportExportPage() {
  return (
    <Screen narrow title={texts.importExport.title} lead={texts.importExport.lead}>
      <Part title={texts.importExport.export.title} lead={texts.importExport.export.lead}>
        <Download />
      </Part>
      <Part title={texts.importExport.import.title} lead={texts.importExport.import.lead}>
        <ImportPanel />
      </Part>
    </Screen>
  );
}

const Part = ({ title, lead, children }: { title: string; lead: string; children: ReactNode }) => (
  <Paper withBorder component="section" aria-label={title} className={classes.part}>
    <Title order={2} fz={16}>
      {title}
    </Title>
    <Text fz="sm" c="dimmed" mt={4} mb="md">
      {lead}
    </Text>
    {children}
  </Paper>
);

/** The browser saves the archive as it comes, so that none of it is held here. */
function Download() {
  const { studio } = useApi();
  const exporting = useMutation({
    mutationFn: () => studio.moving.export.mutate(),
    onSuccess: ({ url }) => {
      Object.assign(document.createElement('a'), { href: url, download: '' }).click();
      toast(texts.importExport.export.begun);
    },
    onError: toastError,
  });
  return (
    <Button
      leftSection={<IconDownload size={16} />}
      loading={exporting.isPending}
      onClick={() => exporting.mutate()}
    >
      {texts.importExport.export.action}
    </Button>
  );
}
