import type { ProjectId } from "./ids.ts";

/** Counts reads by project and service, in memory, until they are taken. */
export class ReadCounts<Service extends string> {
  #counts = new Map<ProjectId, Map<Service, number>>();

  add(projectId: ProjectId, service: Service): void {
    const ofProject = this.#counts.get(projectId) ?? new Map<Service, number>();
    ofProject.set(service, (ofProject.get(service) ?? 0) + 1);
    this.#counts.set(projectId, ofProject);
  }

  /** The counts so far; counting begins again. */
  take(): readonly { readonly projectId: ProjectId; readonly service: Service; readonly reads: number }[] {
    const counts = this.#counts;
    this.#counts = new Map();
    return [...counts].flatMap(([projectId, ofProject]) =>
      [...ofProject].map(([service, reads]) => ({ projectId, service, reads })),
    );
  }
}
