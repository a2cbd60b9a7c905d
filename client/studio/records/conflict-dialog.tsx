import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Field } from '../../../shared/contract/fields.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { FieldValue, isLong, LongDifference } from '../differences/field-difference.tsx';
import { labelOf } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import classes from './conflict.module.css';
import type { Choice } from './edits.ts';
import type { RecordEditor } from './use-record-editor.ts';

interface ConflictDialogProps {
  resource: Resource;
  editor: RecordEditor;
}

/** What two have written into the same fields, side by side, and whose counts. */
export default function ConflictDialog({ resource: { fields }, editor }: ConflictDialogProps) {
  const { conflicts, writer, resolve, compare } = editor;
  const [chosen, setChosen] = useState<Readonly<Record<string, Choice>>>({});
  const all = (choice: Choice) => Object.fromEntries(conflicts.map((name) => [name, choice]));
  const conflicting = conflicts.flatMap((name) => {
    const field = fields[name];
    return field ? [{ name, field }] : [];
  });
  return (
    <Modal
      opened
      onClose={() => compare(false)}
      size={860}
      title={texts.conflict.title}
      closeButtonProps={{ 'aria-label': texts.common.close }}
    >
      <Stack gap="lg">
        <Text fz="sm" c="dimmed">
          {texts.conflict.lead}
        </Text>
        {conflicting.map(({ name, field }) => (
          <ConflictingField
            key={name}
            {...{ name, field, writer }}
            mine={editor.edits[name]}
            theirs={editor.saved?.[name]}
            choice={chosen[name] ?? 'mine'}
            onChoose={(choice) => setChosen((known) => ({ ...known, [name]: choice }))}
          />
        ))}
        <Group justify="space-between">
          <Group gap="xs">
            {conflicts.length > 1 && (
              <>
                <Button variant="default" onClick={() => setChosen(all('mine'))}>
                  {texts.conflict.allMine}
                </Button>
                <Button variant="default" onClick={() => setChosen(all('theirs'))}>
                  {texts.conflict.allTheirs}
                </Button>
              </>
            )}
          </Group>
          <Button onClick={() => resolve({ ...all('mine'), ...chosen })}>{texts.conflict.use}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface ConflictingFieldProps {
  name: string;
  field: Field;
  writer: string;
  mine: unknown;
  theirs: unknown;
  choice: Choice;
  onChoose(choice: Choice): void;
}

function ConflictingField({ name, field, writer, mine, theirs, choice, onChoose }: ConflictingFieldProps) {
  const sides = [
    { choice: 'mine', kind: 'added', label: texts.conflict.mine, value: mine },
    { choice: 'theirs', kind: 'removed', label: texts.conflict.theirs(writer), value: theirs },
  ] as const;
  return (
    <Radio.Group
      label={labelOf(name)}
      value={choice}
      onChange={(value) => onChoose(value === 'theirs' ? 'theirs' : 'mine')}
    >
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
