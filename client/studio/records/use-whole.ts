import { useUploading } from '../media/uploading.tsx';
import { useLeaving } from '../ui/leaving.tsx';
import type { Publishing } from './use-publishing.ts';

/** The same, but asking before readers get a record without a file that is on its way into it. */
export function useWhole(publishing: Publishing): Publishing {
  const { isUploading } = useUploading();
  const { agreeTo } = useLeaving();
  const whole = (work: () => void) => () =>
    void agreeTo(isUploading ? 'saving' : null).then((agrees) => agrees && work());
  return {
    ...publishing,
    publish: whole(publishing.publish),
    retry: whole(publishing.retry),
    // A draft saves itself again once the file is there.
    save: publishing.isDraft ? publishing.save : whole(publishing.save),
  };
}
