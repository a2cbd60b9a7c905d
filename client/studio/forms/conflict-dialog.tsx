import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Field } from '../../../shared/contract/fields.ts';
import { labelOf } from '../strings/names.ts';
import { strings } from '../strings/ui-strings.ts';
import { Note } from '../ui/note.tsx';
import classes from './conflict.module.css';
import { FieldValue, isLong, LongDifference } from './differences/field-difference.tsx';
import type { Choice } from './edits.ts';
import type { Conflict } from './use-form.ts';

interface ConflictDialogProps {
  conflict: Conflict;
  /** Name of the other writer. */
  writer?: string;
}

/** Dialog that shows both values of each conflicting field and lets the user choose one. */
export default function ConflictDialog({
  conflict,
  writer = strings.conflict.somebody,
}: ConflictDialogProps) {
  const { names, fields, mine, theirs, resolve, close } = conflict;
  const [chosen, setChosen] = useState<Readonly<Record<string, Choice>>>({});
  const all = (choice: Choice) => Object.fromEntries(names.map((name) => [name, choice]));
  return (
    <Modal opened onClose={close} size={860} title={strings.conflict.title}>
      <Stack gap="lg">
        <Note>{strings.conflict.lead}</Note>
        {names.map((name) => (
          <ConflictingField
            key={name}
            {...{ name, writer }}
            field={fields[name]}
            mine={mine[name]}
            theirs={theirs[name]}
            choice={chosen[name] ?? 'mine'}
            onChoose={(choice) => setChosen((current) => ({ ...current, [name]: choice }))}
          />
        ))}
        <Group justify="space-between">
          <Group gap="xs">
            {names.length > 1 && (
              <>
                <Button variant="default" onClick={() => setChosen(all('mine'))}>
                  {strings.conflict.allMine}
                </Button>
                <Button variant="default" onClick={() => setChosen(all('theirs'))}>
                  {strings.conflict.allTheirs}
                </Button>
              </>
            )}
          </Group>
          <Button onClick={() => resolve({ ...all('mine'), ...chosen })}>{strings.conflict.use}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface ConflictingFieldProps {
  name: string;
  field: Field | undefined;
  writer: string;
  mine: unknown;
  theirs: unknown;
  choice: Choice;
  onChoose(choice: Choice): void;
}

function ConflictingField({ name, field, writer, mine, theirs, choice, onChoose }: ConflictingFieldProps) {
  const sides = [
    { choice: 'mine', kind: 'added', label: strings.conflict.mine, value: mine },
    { choice: 'theirs', kind: 'removed', label: strings.conflict.theirs(writer), value: theirs },
  ] as const;
  return (
    <Radio.Group label={labelOf(name, field)} value={choice} onChange={onChoose}>
      <div className={classes.sides}>
        {sides.map((side) => (
          <Radio.Card key={side.choice} value={side.choice} className={classes.side}>
            <Group wrap="nowrap" align="flex-start" gap="sm">
              <Radio.Indicator mt={2} size="xs" />
              <div className={classes.value}>
                <Text fz={13} fw={550}>
                  {isLong(field) && (
                    <span className={classes.sign} data-kind={side.kind} aria-hidden>
                      {side.kind === 'added' ? '+' : '−'}
                    </span>
                  )}
                  {side.label}
                </Text>
                {!isLong(field) && <FieldValue field={field} value={side.value} />}
              </div>
            </Group>
          </Radio.Card>
        ))}
      </div>
      {isLong(field) && <LongDifference before={theirs} after={mine} />}
    </Radio.Group>
  );
}
