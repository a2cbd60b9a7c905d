import { Skeleton, Text, Title } from '@mantine/core';
import { Suspense } from 'react';
import type { Field, FieldKind } from '../../../shared/contract/fields.ts';
import { inFull } from '../texts/moments.ts';
import { capitalised, labelOf } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import { later } from '../ui/later.tsx';
import classes from './differences.module.css';

const LineDifferences = later(async () => (await import('./line-differences.tsx')).default);

/** Kinds whose texts are too long to stand beside one another. */
const long: readonly FieldKind[] = ['markdown', 'paragraph'];

export const isLong = (kind: FieldKind): boolean => long.includes(kind);

interface FieldDifferenceProps {
  name: string;
  field: Field;
  before: unknown;
  after: unknown;
  /** What the two are called. */
  labels: { before: string; after: string };
}

/** Two values of a field: short ones side by side, long ones line by line. */
export function FieldDifference({ name, field, before, after, labels }: FieldDifferenceProps) {
  return (
    <section aria-label={labelOf(name)}>
      <Title order={3} fz={13} fw={600} mb={6}>
        {labelOf(name)}
      </Title>
      {isLong(field.kind) ? (
        <LongDifference before={before} after={after} />
      ) : (
        <div className={classes.sides}>
          <Side kind="removed" label={labels.before} field={field} value={before} />
          <Side kind="added" label={labels.after} field={field} value={after} />
        </div>
      )}
    </section>
  );
}

export const LongDifference = ({ before, after }: { before: unknown; after: unknown }) => (
  <Suspense fallback={<Skeleton h={120} radius="md" />}>
    <LineDifferences before={String(before ?? '')} after={String(after ?? '')} />
  </Suspense>
);

interface SideProps {
  kind: 'removed' | 'added';
  label: string;
  field: Field;
  value: unknown;
}

const Side = ({ kind, label, field, value }: SideProps) => (
  <div className={classes.value} data-kind={kind}>
    <div className={classes.side}>{label}</div>
    <FieldValue kind={field.kind} value={value} />
  </div>
);

/** A value as a person reads it. */
export function FieldValue({ kind, value }: { kind: FieldKind; value: unknown }) {
  const words = wordsOf(kind, value);
  if (words !== '') return words;
  return (
    <Text span c="dimmed" fz="inherit">
      {texts.history.unset}
    </Text>
  );
}

function wordsOf(kind: FieldKind, value: unknown): string {
  if (value instanceof Date) return inFull(value);
  if (Array.isArray(value)) return value.join(kind === 'list' ? ', ' : '\n');
  if (typeof value === 'boolean') return value ? texts.lists.yes : texts.lists.no;
  if (value === null || value === undefined) return '';
  return kind === 'choice' ? capitalised(String(value)) : String(value);
}
