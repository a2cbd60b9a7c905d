import { useQuery, useQueryClient } from '@tanstack/react-query';
import { profileFields, UpdateProfile } from '../../../../shared/contract/features/profile.ts';
import type { Fields } from '../../../../shared/contract/fields.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { profileQuery } from '../../data/queries.ts';
import type { Values } from '../../data/records.ts';
import { changeOf } from '../../forms/form-values.ts';
import { PageForm } from '../../forms/form-view.tsx';
import { useForm } from '../../forms/use-form.ts';
import { FieldInputs } from '../../records/field-input.tsx';
import { strings } from '../../strings/ui-strings.ts';
import { Pending } from '../../ui/pending.tsx';
import { Screen } from '../../ui/screen.tsx';
import { toast } from '../../ui/toast.tsx';

type Profile = OutputOf<ApiClient['studio']['profile']['get']>;

const fields: Fields = profileFields;

const valuesOf = ({ updated: _, ...values }: Profile): Values => values;

/** Page for the owner's public profile; the form is derived from the profile's fields. */
export default function ProfilePage() {
  const profile = useQuery(profileQuery(useApi()));
  return (
    <Screen narrow title={strings.profile.title} lead={strings.profile.lead}>
      {profile.data ? <ProfileForm profile={profile.data} /> : <Pending query={profile} />}
    </Screen>
  );
}

function ProfileForm({ profile }: { profile: Profile }) {
  const api = useApi();
  const queries = useQueryClient();
  const form = useForm<Values>({
    initial: valuesOf(profile),
    contract: UpdateProfile,
    fields,
    way: {
      change: changeOf(profile, {
        valuesOf,
        read: () => queries.fetchQuery({ ...profileQuery(api), staleTime: 0 }),
        update: (input, options) => api.studio.profile.update.mutate(UpdateProfile.parse(input), options),
      }),
    },
    onSent: () => {
      void queries.invalidateQueries({ queryKey: ['profile'] });
      toast(strings.common.changesSaved);
    },
  });
  return (
    <PageForm form={form}>
      <FieldInputs fields={Object.entries(fields)} form={form} />
    </PageForm>
  );
}
