import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { retentionDays } from '../../../../shared/contract/limits.ts';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { curriculumResources } from '../../../../shared/contract/resources/index.ts';
import { etagOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { curriculumQuery } from '../../data/queries.ts';
import { found, recordsOf, type Values } from '../../data/records.ts';
import { FormDialog } from '../../forms/form-view.tsx';
import { type FormOptions, useForm } from '../../forms/use-form.ts';
import { FieldInputs } from '../../records/field-input.tsx';
import { useDeletion } from '../../records/record/use-deletion.ts';
import { strings } from '../../strings/ui-strings.ts';

type PartRecord = Values & { id: string };

/** A module or lesson in its form. */
export interface CurriculumPart {
  kind: keyof typeof curriculumResources;
  /** ID of the parent, as a field of the record: `{ course_id }` for a module, `{ module_id }` for a lesson. */
  parent: Values;
  /** The module or lesson to change; null for a new one. */
  record: PartRecord | null;
}

interface PartDialogProps {
  courseId: string;
  part: CurriculumPart;
  onClose(): void;
}

/** Form of a module or lesson, derived from its fields. The position is not in the form: it is set by dragging. */
export function PartDialog({ courseId, part, onClose }: PartDialogProps) {
  const { kind, record } = part;
  const api = useApi();
  const queries = useQueryClient();
  const resource: Resource = curriculumResources[kind];
  const { queryKey } = curriculumQuery(api, courseId);
  const modules = queries.getQueryData(queryKey)?.modules ?? [];
  const refresh = () => queries.invalidateQueries({ queryKey });
  const { form, fields } = usePartForm({
    courseId,
    part,
    onSent: (_, __, { isTypedOn }) => {
      void refresh();
      if (!isTypedOn) onClose();
    },
  });
  const lessons = kind === 'modules' ? (modules.find(({ id }) => id === record?.id)?.lessons.length ?? 0) : 0;
  const keeps = (days: number) =>
    lessons > 0 ? strings.curriculum.deleteModuleLead(lessons, days) : strings.records.deleteLead(days);
  const remove = useDeletion({
    resource,
    lead: [keeps(retentionDays.trash), form.isChanged ? strings.curriculum.typedGoes : ''].join(' '),
    onDeleted: async () => {
      await refresh();
      onClose();
    },
    onRestored: refresh,
  });
  return (
    <FormDialog
      title={titles[kind][record ? 'edit' : 'add']}
      action={record ? strings.common.save : titles[kind].add}
      form={form}
      onClose={onClose}
    >
      <FieldInputs fields={fields} form={form} />
      {record && (
        <div>
          <Button variant="subtle" color="red" size="compact-sm" onClick={() => remove([record])}>
            {strings.common.delete}
          </Button>
        </div>
      )}
    </FormDialog>
  );
}

interface PartFormOptions {
  courseId: string;
  part: CurriculumPart;
  onSent: FormOptions<Values, never>['onSent'];
}

function usePartForm({ courseId, part, onSent }: PartFormOptions) {
  const { kind, parent, record } = part;
  const api = useApi();
  const queries = useQueryClient();
  const resource: Resource = curriculumResources[kind];
  const procedures = recordsOf(api, resource);
  const fields = Object.entries(resource.fields).filter(
    ([name]) => !(name in parent) && name !== 'sort_order',
  );
  const valuesOf = (from: Values | null) =>
    Object.fromEntries(fields.map(([name, field]) => [name, from?.[name] ?? field.unset]));
  const course = curriculumQuery(api, courseId);
  const nextOrder = () => {
    const { modules = [] } = queries.getQueryData(course.queryKey) ?? {};
    const parts =
      kind === 'modules' ? modules : (modules.find(({ id }) => id === parent.module_id)?.lessons ?? []);
    return Math.max(-1, ...parts.map(({ sort_order }) => sort_order)) + 1;
  };
  const freshOf = async (id: string) =>
    kind === 'lessons'
      ? api.studio.lessons.get.query({ id })
      : found((await queries.fetchQuery({ ...course, staleTime: 0 })).modules, id);
  const changeOf = (opened: PartRecord) => ({
    tag: etagOf(opened),
    read: async () => {
      const fresh = await freshOf(opened.id);
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
      record ? { id: record.id, ...values } : { ...parent, ...values, sort_order: nextOrder() },
    fields: resource.fields,
    way: record ? { change: changeOf(record) } : { make },
    onSent,
  });
  return { form, fields };
}

const titles = {
  modules: { add: strings.curriculum.addModule, edit: strings.curriculum.editModule },
  lessons: { add: strings.curriculum.addLesson, edit: strings.curriculum.editLesson },
} as const;
