import { Button, Checkbox, Fieldset, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ImportAnswers, ImportQuestion } from '../../../../shared/contract/features/import-export.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Note } from '../../ui/note.tsx';
import classes from './import-export.module.css';
import type { Imports } from './imports.ts';

const labels = strings.importExport.import.questions;

/** Form that asks which values of a list's columns mean consent to mail. Its answers start another check. */
export function ImportQuestions({
  questions,
  former,
  imports,
}: {
  questions: readonly ImportQuestion[];
  former: ImportAnswers;
  imports: Imports;
}) {
  const [answers, setAnswers] = useState(former);
  const isAnswered = ({ id }: ImportQuestion) => {
    const answer = answers[id];
    return answer === 'ignore' || (answer?.may_mail.length ?? 0) > 0;
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        imports.answer(answers);
      }}
    >
      <Stack gap="md">
        <Text fz="sm">{labels.lead}</Text>
        {questions.map((question) => (
          <Question
            key={question.id}
            question={question}
            answer={answers[question.id]}
            onAnswer={(answer) => setAnswers({ ...answers, [question.id]: answer })}
          />
        ))}
        <Group gap="xs">
          <Button type="submit" disabled={!questions.every(isAnswered)}>
            {labels.check}
          </Button>
          <Button variant="default" onClick={() => imports.forget()}>
            {strings.importExport.import.another}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Question({
  question: { column, values, has_more_values },
  answer,
  onAnswer,
}: {
  question: ImportQuestion;
  answer: ImportAnswers[string] | undefined;
  onAnswer(answer: ImportAnswers[string]): void;
}) {
  const isIgnored = answer === 'ignore';
  const chosen = answer === undefined || isIgnored ? [] : answer.may_mail;
  return (
    <Fieldset legend={labels.column(column)} className={classes.question}>
      <Stack gap="xs">
        <Note>{labels.which}</Note>
        {values.map((value) => (
          <Checkbox
            key={value}
            label={value === '' ? labels.empty : value}
            checked={chosen.includes(value)}
            disabled={isIgnored}
            onChange={({ currentTarget: { checked } }) =>
              onAnswer({ may_mail: checked ? [...chosen, value] : chosen.filter((each) => each !== value) })
            }
          />
        ))}
        {has_more_values && <Note>{labels.more}</Note>}
        <Checkbox
          label={labels.ignore}
          description={labels.ignoreHint}
          checked={isIgnored}
          onChange={({ currentTarget: { checked } }) => onAnswer(checked ? 'ignore' : { may_mail: [] })}
        />
      </Stack>
    </Fieldset>
  );
}
