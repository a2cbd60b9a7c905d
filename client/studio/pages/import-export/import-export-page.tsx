import { Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useApi } from '../../data/api.tsx';
import { ExportButton } from '../../kinds/list/export-button.tsx';
import { texts } from '../../texts/texts.ts';
import { Screen } from '../../ui/screen.tsx';
import classes from './import-export.module.css';
import { ImportPanel } from './import-panel.tsx';

/** The way of a site out and in. */
export default function ImportExportPage() {
  const { studio } = useApi();
  return (
    <Screen narrow title={texts.importExport.title} lead={texts.importExport.lead}>
      <Part title={texts.importExport.export.title} lead={texts.importExport.export.lead}>
        <ExportButton
          label={texts.importExport.export.action}
          begun={texts.importExport.export.begun}
          variant="filled"
          ask={() => studio.moving.export.mutate()}
        />
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
