import { Group, Paper } from '@mantine/core';
import type { ComponentProps } from 'react';
import { useApi } from '../../data/api.tsx';
import { ExportButton } from '../../kinds/list/export-button.tsx';
import { texts } from '../../texts/texts.ts';
import { Screen, Section } from '../../ui/screen.tsx';
import classes from './import-export.module.css';
import { ImportPanel } from './import-panel.tsx';

/** The way of a site out and in. */
export default function ImportExportPage() {
  const { studio } = useApi();
  return (
    <Screen narrow title={texts.importExport.title} lead={texts.importExport.lead}>
      <Part title={texts.importExport.export.title} lead={texts.importExport.export.lead}>
        <Group>
          <ExportButton
            label={texts.importExport.export.action}
            begun={texts.importExport.export.begun}
            variant="filled"
            ask={() => studio.transfers.export.mutate()}
          />
        </Group>
      </Part>
      <Part title={texts.importExport.import.title} lead={texts.importExport.import.lead}>
        <ImportPanel />
      </Part>
    </Screen>
  );
}

const Part = (props: ComponentProps<typeof Section>) => (
  <Paper withBorder className={classes.part}>
    <Section {...props} />
  </Paper>
);
