import { Button, Checkbox, FileButton, Group, Paper, Progress, Radio, Stack, Text } from '@mantine/core';
import { IconFolder, IconUpload } from '@tabler/icons-react';
import { type ComponentProps, useEffect, useState } from 'react';
import { ImportMode } from '../../../../shared/contract/features/import-export.ts';
import { useApi } from '../../data/api.tsx';
import { ExportButton } from '../../records/list/export-button.tsx';
import { strings } from '../../strings/ui-strings.ts';
import { Note, Problem } from '../../ui/note.tsx';
import { Screen, Section } from '../../ui/screen.tsx';
import { useDrop } from '../../ui/use-drop.ts';
import classes from './import-export.module.css';
import { ImportQuestions } from './import-questions.tsx';
import { ImportReport } from './import-report.tsx';
import {
  hasForeignTexts,
  type ImportState,
  type Imports,
  isListOfPeople,
  type Run,
  useImports,
} from './imports.ts';

export default function ImportExportPage() {
  const { studio } = useApi();
  return (
    <Screen narrow title={strings.importExport.title} lead={strings.importExport.lead}>
      <Part title={strings.importExport.export.title} lead={strings.importExport.export.lead}>
        <Group>
          <ExportButton
            label={strings.importExport.export.action}
            begun={strings.importExport.export.begun}
            variant="filled"
            requestExport={() => studio.transfers.export.mutate()}
          />
        </Group>
      </Part>
      <Part title={strings.importExport.import.title} lead={strings.importExport.import.lead}>
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

const labels = strings.importExport.import;

/** Steps of an import: choose a file, check it, import it. */
function ImportPanel() {
  const [state, imports] = useImports();
  useKeepOpen(state);
  switch (state.is) {
    case 'waiting':
      return <Choice imports={imports} problem={state.problem} />;
    case 'running':
      return <Running run={state} onStop={() => imports.stop()} />;
    case 'ended':
      return <Ended state={state} imports={imports} />;
  }
}

/** Asks before the tab is closed, because that ends the import. */
function useKeepOpen({ is }: ImportState) {
  useEffect(() => {
    if (is !== 'running') return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [is]);
}

/** Attributes that make the browser's dialog select a folder with all its files. */
const wholeFolder = { multiple: true, webkitdirectory: '' };

function Choice({ imports, problem }: { imports: Imports; problem: string | undefined }) {
  const [fetchMedia, setFetchMedia] = useState(false);
  const drop = useDrop(([file]) => imports.chooseFile(file, fetchMedia));
  return (
    <Stack gap="sm">
      <div className={classes.drop} {...drop.props}>
        <Group gap="xs" justify="center">
          <FileButton onChange={(file) => imports.chooseFile(file, fetchMedia)}>
            {(props) => (
              <Button {...props} leftSection={<IconUpload size={16} />}>
                {labels.file}
              </Button>
            )}
          </FileButton>
          <FileButton
            multiple
            inputProps={wholeFolder}
            onChange={(files) => imports.chooseFolder(files, fetchMedia)}
          >
            {(props) => (
              <Button {...props} variant="default" leftSection={<IconFolder size={16} />}>
                {labels.folder}
              </Button>
            )}
          </FileButton>
        </Group>
        <Note>{drop.isOver ? labels.dropNow : labels.drop}</Note>
      </div>
      <Checkbox
        label={labels.fetchMedia}
        description={labels.fetchMediaHint}
        checked={fetchMedia}
        onChange={({ currentTarget }) => setFetchMedia(currentTarget.checked)}
      />
      <Problem>{problem}</Problem>
    </Stack>
  );
}

function Running({ run, onStop }: { run: Run; onStop(): void }) {
  const { does, sent, tally, total, chosen } = run;
  const isSending = sent < 1;
  const share = isSending ? sent : total ? tally.records / total : null;
  return (
    <Stack gap="xs">
      <Text fz="sm" fw={550}>
        {chosen.name}
      </Text>
      <Progress.Root size="lg">
        <Progress.Section
          value={share === null ? 100 : share * 100}
          animated={share === null}
          aria-label={labels.progress}
        />
      </Progress.Root>
      <Group justify="space-between">
        <Note role="status">{howFar(run)}</Note>
        <Button variant="default" size="compact-sm" onClick={onStop}>
          {strings.common.cancel}
        </Button>
      </Group>
      {does === 'import' && <Note>{labels.leave}</Note>}
    </Stack>
  );
}

function howFar({ does, sent, tally, total }: Run): string {
  if (sent < 1) return labels.sending(sent.toLocaleString(undefined, { style: 'percent' }));
  if (tally.records === 0) return labels.reading;
  return does === 'import' && total !== null
    ? labels.importing(tally.records, total)
    : labels.checking(tally.records);
}

function Ended({ state, imports }: { state: ImportState & { is: 'ended' }; imports: Imports }) {
  const { does, tally, problem, chosen, questions } = state;
  const { created } = tally.counts;
  const [isAnswering, setAnswering] = useState(
    does === 'check' && questions.some(({ id }) => !Object.hasOwn(chosen.answers, id)),
  );
  const hasNothing = does === 'check' && !problem && created === 0;
  const [hasConsent, setConsent] = useState(false);
  const [mode, setMode] = useState<ImportMode>('as-marked');
  const canImport = does === 'check' && !problem && created > 0;
  const asksForMode = canImport && hasForeignTexts(tally);
  const asksForConsent = canImport && isListOfPeople(tally);
  if (isAnswering && !problem)
    return (
      <Stack gap="md">
        <Text fz="sm" fw={550}>
          {chosen.name}
        </Text>
        <ImportQuestions questions={questions} former={chosen.answers} imports={imports} />
      </Stack>
    );
  return (
    <Stack gap="md">
      <Text fz="sm" fw={550}>
        {chosen.name}
      </Text>
      <Problem>{problem}</Problem>
      {hasNothing && <Text fz="sm">{labels.nothing}</Text>}
      {asksForConsent && (
        <Checkbox
          label={labels.consent}
          description={labels.consentHint}
          checked={hasConsent}
          onChange={({ currentTarget }) => setConsent(currentTarget.checked)}
        />
      )}
      {asksForMode && <ModeChoice mode={mode} onChange={setMode} />}
      <Group gap="xs">
        {problem && (
          <Button onClick={() => imports.goOn(does)}>{does === 'check' ? labels.again : labels.goOn}</Button>
        )}
        {canImport && (
          <Button disabled={asksForConsent && !hasConsent} onClick={() => imports.goOn('import', mode)}>
            {labels.begin(created)}
          </Button>
        )}
        {does === 'check' && questions.length > 0 && (
          <Button variant="default" onClick={() => setAnswering(true)}>
            {labels.questions.change}
          </Button>
        )}
        <Button variant="default" onClick={() => imports.forget()}>
          {labels.another}
        </Button>
      </Group>
      {tally.records > 0 && (
        <ImportReport title={does === 'check' ? labels.checked : labels.done} tally={tally} />
      )}
    </Stack>
  );
}

/** Input for the publication state of imported posts and pages. Medium's are drafts in both modes. */
function ModeChoice({ mode, onChange }: { mode: ImportMode; onChange(mode: ImportMode): void }) {
  return (
    <Radio.Group label={labels.mode} value={mode} onChange={onChange}>
      <Stack gap="xs" mt="xs">
        {ImportMode.options.map((each) => (
          <Radio key={each} value={each} {...labels.modes[each]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
