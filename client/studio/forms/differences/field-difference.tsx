import { Skeleton, Text, Title } from '@mantine/core';
import type { Field, FieldKind } from '../../../../shared/contract/fields.ts';
import { labelOf } from '../../strings/names.ts';
import type { TimeFormat } from '../../strings/time-format.ts';
import { strings } from '../../strings/ui-strings.ts';
import { later } from '../../ui/load-on-use.tsx';
import { useTimeFormat } from '../../ui/time.tsx';
import classes from './differences.module.css';

const LineDifferences = later(() => import('./line-differences.tsx'), {
  meanwhile: () => <Skeleton h={120} radius="md" />,
});

/** Field kinds whose values are compared by line instead of side by side. */
const long: readonly FieldKind[] = ['markdown', 'paragraph'];

export const isLong = (field: Field | undefined): boolean => field !== undefined && long.includes(field.kind);

interface FieldDifferenceProps {
  name: string;
  field: Field;
  before: unknown;
  after: unknown;
  /** Names of the two versions. */
  labels: { before: string; after: string };
}

/** Two values of a field: short ones side by side, long ones by line. */
export function FieldDifference({ name, field, before, after, labels }: FieldDifferenceProps) {
  return (
    <section aria-label={labelOf(name, field)}>
      <Title order={3} fz={13} fw={600} mb={6}>
        {labelOf(name, field)}
      </Title>
      {isLong(field) ? (
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
  <LineDifferences before={String(before ?? '')} after={String(after ?? '')} />
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
    <FieldValue field={field} value={value} />
  </div>
);

/** Value of a field, formatted for people. */
export function FieldValue({ field, value }: { field: Field | undefined; value: unknown }) {
  const labels = textOf(field, value, useTimeFormat());
  if (labels !== '') return labels;
  return (
    <Text span c="dimmed" fz="inherit">
      {strings.history.unset}
    </Text>
  );
}

function textOf(field: Field | undefined, value: unknown, { inFull }: TimeFormat): string {
  if (value instanceof Date) return inFull(value);
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'boolean') return value ? strings.lists.yes : strings.lists.no;
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([part, of]) => `${part} ${of}`)
      .join(', ');
  }
  return field?.choices?.[String(value)] ?? String(value);
}
