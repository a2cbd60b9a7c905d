import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { Resource } from '../../../shared/contract/resource.ts';
import { curriculumResources } from '../../../shared/contract/resources/index.ts';
import { useApi } from '../data/api.tsx';
import { curriculumQuery } from '../data/queries.ts';
import { type Values, writesOf } from '../data/records.ts';
import { FieldInput } from '../fields/field-input.tsx';
import { useForm } from '../fields/use-form.ts';
import { texts } from '../texts/texts.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { say, sayFailed } from '../ui/toast.tsx';

/** A module or lesson that is made or changed. */
export interface Part {
  kind: keyof typeof curriculumResources;
  /** The field that says where it belongs. */
  parent: Values;
  /** Null for one to be made. */
  record: (Values & { id: string }) | null;
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
  const refresh = () => queries.invalidateQueries({ queryKey: curriculumQuery(api, courseId).queryKey });
  const form = useForm<Values, unknown>({
    initial: Object.fromEntries(fields.map(([name, field]) => [name, record?.[name] ?? field.unset])),
    contract: record ? resource.update : resource.create,
    toInput: (values) => (record ? { id: record.id, ...values } : { ...parent, ...values }),
    send: (values) =>
      record
        ? procedures.update.mutate({ id: record.id, ...values })
        : procedures.create.mutate({ ...parent, ...values, sort_order: Math.trunc(Date.now() / 1_000) }),
    onSent: () => {
      void refresh();
      onClose();
    },
  });
  const remove = async () => {
    if (!record) return;
    await procedures.delete.mutate({ id: record.id });
    await refresh();
    onClose();
    say(texts.records.deleted(String(record.title)));
  };
  return (
    <FormDialog
      title={titles[kind][record ? 'edit' : 'add']}
      action={record ? texts.common.save : titles[kind].add}
      form={form}
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
          <Button
            variant="subtle"
            color="red"
            size="compact-sm"
            onClick={() => void remove().catch(sayFailed)}
          >
            {texts.common.delete}
          </Button>
        </div>
      )}
    </FormDialog>
  );
}

const titles = {
  modules: { add: texts.curriculum.addModule, edit: texts.curriculum.editModule },
  lessons: { add: texts.curriculum.addLesson, edit: texts.curriculum.editLesson },
} as const;
