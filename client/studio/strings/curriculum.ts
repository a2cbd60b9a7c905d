export const curriculum = {
  curriculum: {
    title: 'Curriculum',
    course: 'Course',
    of: (course: string) => `Curriculum of “${course}”`,
    lead: 'Drag to reorder modules and lessons. With the keyboard: space, arrows, space.',
    none: 'No modules yet',
    noneLead: 'A module is a part of the course that contains lessons.',
    addModule: 'Add module',
    addLesson: 'Add lesson',
    move: (title: string) => `Move “${title}”`,
    editModule: 'Edit module',
    editLesson: 'Edit lesson',
    typedGoes: 'Unsaved changes are lost.',
    deleteModuleLead: (lessons: number, days: number) =>
      `Its ${lessons === 1 ? 'lesson is' : `${lessons} lessons are`} deleted, too. You can restore them from the trash for ${days} days.`,
  },
} as const;
