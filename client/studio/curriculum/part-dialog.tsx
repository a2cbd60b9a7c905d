import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { retentionDays } from '../../../shared/contract/limits.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { curriculumResources } from '../../../shared/contract/resources/index.ts';
import { etagOf } from '../../sdk/index.ts';
import { useApi } from '../data/api.tsx';
import { curriculumQuery } from '../data/queries.ts';
import { found, type Values, writesOf } from '../data/records.ts';
import { FieldInput } from '../fields/field-input.tsx';
import { useForm } from '../fields/use-form.ts';
import { shapeOf } from '../records/shape.ts';
import { useDeletion } from '../records/use-deletion.ts';
import { texts } from '../texts/texts.ts';
import { FormDialog } from '../ui/form-dialog.tsx';

type PartRecord = Values & { id: string };

/** A module or lesson that is made or changed. */
export interface Part {
  kind: keyof typeof curriculumResources;
  /** The field that says where it belongs. */
  parent: Values;
  /** Null for one to be made. */
  record: PartRecord | null;
}

interface PartDialogProps {
  courseId: string;
  part: Part;
  onClose(): void;
}

/** A module's or lesson's form, made from its fields; where it stands is told by dragging. */
export function PartDialog({ courseId, part: { kind, parent, record }, onClose }: PartDialogProps) {
  const api = useApi();
  const queries = useQueryClient();
  const resource: Resource = curriculumResources[kind];
  const procedures = writesOf(api, resource);
  const fields = Object.entries(resource.fields).filter(
    ([name]) => !(name in parent) && name !== 'sort_order',
  );
  const { queryKey } = curriculumQuery(api, courseId);
  const modules = queries.getQueryData(queryKey)?.modules ?? [];
  const refresh = () => queries.invalidateQueries({ queryKey });
  const siblings =
    kind === 'modules' ? modules : (modules.find(({ id }) => id === parent.module_id)?.lessons ?? []);
  const valuesOf = (from: Values | null) =>
    Object.fromEntries(fields.map(([name, field]) => [name, from?.[name] ?? field.unset]));
  const changeOf = (opened: PartRecord) => ({
    tag: etagOf(opened),
    read: async () => {
      const course = await queries.fetchQuery({ ...curriculumQuery(api, courseId), staleTime: 0 });
      const parts: readonly PartRecord[] =
        kind === 'modules' ? course.modules : course.modules.flatMap(({ lessons }) => lessons);
      const fresh = found(parts, opened.id);
      return { values: valuesOf(fresh), tag: etagOf(fresh) };
    },
    write: (input: Values, options: { ifMatch?: string | undefined }) =>
      procedures.update.mutate({ ...input, id: opened.id }, options),
  });
  const make = {
    name: `${kind}:${Object.values(parent).join()}`,
    send: (input: Values, options: { idempotencyKey: string }) => procedures.create.mutate(input, options),
    change: ({ id }: { id: string }, input: Values) => procedures.update.mutate({ ...input, id }),
  };
  const form = useForm<Values, { id: string }>({
    initial: valuesOf(record),
    contract: record ? resource.update : resource.create,
    toInput: (values) =>
      record ? { id: record.id, ...values } : { ...parent, ...values, sort_order: lastOf(siblings) + 1 },
    kindOf: (name) => resource.fields[name]?.kind,
    way: record ? { change: changeOf(record) } : { make },
    onSent: () => {
      void refresh();
      onClose();
    },
  });
  const lessons = kind === 'modules' ? (modules.find(({ id }) => id === record?.id)?.lessons.length ?? 0) : 0;
  const keeps = (days: number) =>
    lessons > 0 ? texts.curriculum.deleteModuleLead(lessons, days) : texts.records.deleteLead(days);
  const deletion = useDeletion({
    resource,
    shape: shapeOf(resource),
    lead: [keeps(retentionDays.trash), form.isChanged ? texts.curriculum.typedGoes : ''].join(' '),
    onDeleted: async () => {
      await refresh();
      onClose();
    },
    onRestored: refresh,
  });
  return (
    <FormDialog
      title={titles[kind][record ? 'edit' : 'add']}
      action={record ? texts.common.save : titles[kind].add}
      form={form}
      isCovered={deletion.isAsking}
      onClose={onClose}
    >
      {fields.map(([name, field]) => (
        <FieldInput
          key={name}
          name={name}
          field={field}
          value={form.values[name]}
          problem={form.problems[name]}
          onChange={(value) => form.set(name, value)}
        />
      ))}
      {record && (
        <div>
          <Button variant="subtle" color="red" size="compact-sm" onClick={() => deletion.remove([record])}>
            {texts.common.delete}
          </Button>
          {deletion.dialog}
        </div>
      )}
    </FormDialog>
  );
}

/** Where the last of them stands. */
const lastOf = (parts: readonly { sort_order: number }[]) =>
  Math.max(-1, ...parts.map(({ sort_order }) => sort_order));

const titles = {
  modules: { add: texts.curriculum.addModule, edit: texts.curriculum.editModule },
  lessons: { add: texts.curriculum.addLesson, edit: texts.curriculum.editLesson },
} as const;
